package subscriptions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/schema"
	"strata/domain/step"
	"strata/projections"
)

// place is a place on the list of steps.
type place struct {
	epoch  string // names the list
	step   int64  // the last one before the place; 0 for none
	logSeq int64  // the event that caused it
	height int64  // of the tip there; -1 without one
	block  hash.Hash32
}

// position returns it as answers of the API do.
func position(logSeq, height int64, block hash.Hash32) string {
	if height < 0 {
		return fmt.Sprintf("log=%d", logSeq)
	}
	return fmt.Sprintf("log=%d; height=%d; index_block_hash=%s", logSeq, height, block)
}

// stepList is the list of steps of the active version of the projection chain.
type stepList struct {
	schema.Schema
	epoch string
}

// errNoChain means that there is no list of steps yet.
var errNoChain = errors.New("no version of the projection chain is active yet")

func (r *Role) chain(ctx context.Context) (c stepList, err error) {
	c.Name = "chain"
	err = r.pool.QueryRow(ctx, `
		SELECT p.version, p.epoch::text FROM strata.projection p JOIN strata.active a USING (name, version) WHERE p.name = 'chain'`).Scan(&c.Version, &c.epoch)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, errNoChain
	}
	return c, err
}

// stepRow is a step.
type stepRow struct {
	place
	kind      step.Kind
	of        int64 // height of the block; of a record, of the tip
	id        hash.Hash32
	blockSeq  int64
	blockSize int64
}

// steps returns the steps in (after, until], as many as have most bytes of blocks, and at least one.
func (r *Role) steps(ctx context.Context, c stepList, after, until int64, limit int, most int64) (steps []stepRow, err error) {
	rows, err := r.pool.Query(ctx, `
		SELECT s.step, s.source_seq, s.kind, s.height, s.index_block_hash, s.block_seq, s.block_size, coalesce(b.parent_index_block_hash, '')
		FROM `+c.Table("step")+` s
		LEFT JOIN LATERAL (
			SELECT parent_index_block_hash FROM `+c.Table("block")+` b WHERE b.index_block_hash = s.index_block_hash LIMIT 1
		) b ON s.kind = -1
		WHERE s.step > $1 AND s.step <= $2 ORDER BY s.step LIMIT $3`, after, until, limit)
	if err != nil {
		return nil, err
	}
	var s stepRow
	var id, parent []byte
	var bytes int64
	full := false
	_, err = pgx.ForEachRow(rows, []any{&s.step, &s.logSeq, &s.kind, &s.of, &id, &s.blockSeq, &s.blockSize, &parent}, func() error {
		if bytes += s.blockSize; full || len(steps) > 0 && bytes > most {
			full = true
			return nil
		}
		s.epoch, s.id, s.height, s.block = c.epoch, hash.Hash32{}, s.of, hash.Hash32{}
		copy(s.id[:], id)
		if s.block = s.id; s.kind == step.Revert {
			s.height, s.block = s.of-1, hash.Hash32{}
			copy(s.block[:], parent)
		}
		steps = append(steps, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the steps after %d: %w", after, err)
	}
	return steps, nil
}

// blocks returns the contents of the blocks of steps, by the events that have them.
func (r *Role) blocks(ctx context.Context, steps []stepRow) (map[int64]*projections.Block, error) {
	var seqs []int64
	for i := range steps {
		if steps[i].kind != step.TakeRecord && !slices.Contains(seqs, steps[i].blockSeq) {
			seqs = append(seqs, steps[i].blockSeq)
		}
	}
	return r.blocksAt(ctx, seqs)
}

func (r *Role) blocksAt(ctx context.Context, seqs []int64) (map[int64]*projections.Block, error) {
	blocks, err := r.decoder.Blocks(ctx, seqs)
	if err != nil {
		return nil, err
	}
	for _, seq := range seqs {
		if blocks[seq] == nil {
			return nil, fmt.Errorf("the block of event %d can't be read", seq)
		}
	}
	return blocks, nil
}

// lastStep returns the number of the last step whose cause is an event up to a position of the log; 0 for none. Causes never decrease.
func (r *Role) lastStep(ctx context.Context, c stepList, logSeq int64) (low int64, err error) {
	high, err := r.newestStep(ctx, c)
	for err == nil && low < high {
		middle := low + (high-low+1)/2
		var seq int64
		if err := r.pool.QueryRow(ctx, `SELECT source_seq FROM `+c.Table("step")+` WHERE step = $1`, middle).Scan(&seq); err != nil {
			return 0, fmt.Errorf("read step %d: %w", middle, err)
		}
		if seq <= logSeq {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, err
}

// newestStep returns the number of the last step; 0 for none.
func (r *Role) newestStep(ctx context.Context, c stepList) (n int64, err error) {
	err = r.pool.QueryRow(ctx, `SELECT coalesce((SELECT step FROM `+c.Table("step")+` ORDER BY step DESC LIMIT 1), 0)`).Scan(&n)
	if err != nil {
		err = fmt.Errorf("read the last step: %w", err)
	}
	return n, err
}

// placeAfter returns the place after a step; 0 for the beginning.
func (r *Role) placeAfter(ctx context.Context, c stepList, n int64) (place, error) {
	if n == 0 {
		return place{epoch: c.epoch, height: -1}, nil
	}
	steps, err := r.steps(ctx, c, n-1, n, 1, 0)
	if err != nil || len(steps) == 0 {
		return place{}, errors.Join(err, fmt.Errorf("there is no step %d", n))
	}
	return steps[0].place, nil
}

// tip returns the place after the last step.
func (r *Role) tip(ctx context.Context, c stepList) (place, error) {
	n, err := r.newestStep(ctx, c)
	if err != nil {
		return place{}, err
	}
	return r.placeAfter(ctx, c, n)
}

// below returns the place before the step that applied the block which is canonical at a height.
func (r *Role) below(ctx context.Context, c stepList, height int64) (place, error) {
	var cause int64
	var id hash.Hash32
	err := r.pool.QueryRow(ctx, `
		SELECT c.source_seq, b.index_block_hash FROM `+c.Table("canonical")+` c JOIN `+c.Table("block")+` b ON b.source_seq = c.block_seq
		WHERE c.height = $1`, height).Scan(&cause, &id)
	if err != nil {
		return place{}, fmt.Errorf("look for the block at height %d: %w", height, err)
	}
	first, err := r.lastStep(ctx, c, cause-1)
	if err != nil {
		return place{}, err
	}
	var applied int64
	err = r.pool.QueryRow(ctx, `
		SELECT step FROM `+c.Table("step")+` WHERE step > $1 AND source_seq = $2 AND kind = 1 AND index_block_hash = $3 ORDER BY step DESC LIMIT 1`,
		first, cause, id[:]).Scan(&applied)
	if err != nil {
		return place{}, fmt.Errorf("look for the step that applied the block at height %d: %w", height, err)
	}
	return r.placeAfter(ctx, c, applied-1)
}

// errOtherChain means that a list does not have a place of another list.
var errOtherChain = errors.New("the read tables were rebuilt with other rules, and these follow another chain")

// moved returns the place on today's list that has the same tip after the same events of the log. ok is false if the list is not as far.
func (r *Role) moved(ctx context.Context, c stepList, p place) (_ place, ok bool, err error) {
	n, err := r.lastStep(ctx, c, p.logSeq)
	if err != nil {
		return place{}, false, err
	}
	// There may be several steps of that event, and the place is after one of them.
	for ; n >= 0; n-- {
		at, err := r.placeAfter(ctx, c, n)
		if err != nil {
			return place{}, false, err
		}
		if at.height == p.height && at.block == p.block {
			at.logSeq = p.logSeq
			return at, true, nil
		}
		if at.logSeq < p.logSeq {
			break
		}
	}
	folded := int64(0)
	if err := r.pool.QueryRow(ctx, `SELECT position FROM strata.projection WHERE name = 'chain' AND version = $1`, c.Version).Scan(&folded); err != nil {
		return place{}, false, err
	}
	if folded < p.logSeq {
		return place{}, false, nil
	}
	return place{}, false, errOtherChain
}
