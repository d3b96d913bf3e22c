package ordinals

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	domain "strata/domain/ordinals"
	"strata/projections"
)

// batch holds what one Fold reads and writes.
type batch struct {
	spec   projections.Spec
	tx     pgx.Tx
	logger *slog.Logger

	blocks  map[int64]blockRow // applied blocks at the heights that the events name
	changed map[int64]bool     // heights whose row has changed
	step    int64              // the last step

	steps       []projections.FeedStep
	sizes       []int64 // of the events that hold the blocks, by step
	anomalies   []anomaly
	quarantined []projections.Quarantined
	repeated    int
	applied     int
	reverted    int
}

// blockRow is an applied block.
type blockRow struct {
	height, step, seq, size int64
	index                   int
	hash                    hash.Hash32
	digest                  hash.Hash32 // of the content
}

type anomaly struct {
	seq   int64
	block domain.BlockID
	kind  string
}

func (b *batch) readState(ctx context.Context) (*state, error) {
	s := &state{}
	if err := b.tx.QueryRow(ctx, b.spec.SQL(`SELECT coalesce(max(step), 0) FROM {schema}.step`)).Scan(&s.step); err != nil {
		return nil, fmt.Errorf("read the last step: %w", err)
	}
	var err error
	s.tip, err = b.readTip(ctx)
	return s, err
}

// readTip reads the highest applied block; nil if there is none.
func (b *batch) readTip(ctx context.Context) (*projections.Tip, error) {
	return projections.ReadTip(ctx, b.tx, b.spec.SQL(`
		SELECT height, block_hash, block_hash, height FROM {schema}.block ORDER BY height DESC LIMIT 1`))
}

// readBlocks reads the applied blocks at the heights that events name.
func (b *batch) readBlocks(ctx context.Context, items []projections.LogItem) error {
	b.blocks, b.changed = map[int64]blockRow{}, map[int64]bool{}
	var heights []int64
	for i := range items {
		if feed := items[i].Feed; feed != nil {
			for j := range feed.Rollback {
				heights = append(heights, int64(feed.Rollback[j].Height))
			}
			for j := range feed.Apply {
				heights = append(heights, int64(feed.Apply[j].Height))
			}
		}
	}
	if len(heights) == 0 {
		return nil
	}
	rows, err := b.tx.Query(ctx, b.spec.SQL(`
		SELECT height, step, source_seq, size, block_index, block_hash, content_digest FROM {schema}.block WHERE height = ANY ($1)`), heights)
	if err != nil {
		return fmt.Errorf("read the blocks at %d heights: %w", len(heights), err)
	}
	var r blockRow
	_, err = pgx.ForEachRow(rows, []any{&r.height, &r.step, &r.seq, &r.size, &r.index, &r.hash, &r.digest}, func() error {
		b.blocks[r.height] = r
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the blocks at %d heights: %w", len(heights), err)
	}
	return nil
}

// add adds the next step, and returns its number.
func (b *batch) add(row blockRow, because int64, kind projections.StepKind) int64 {
	b.step++
	if kind == projections.Apply {
		b.applied++
	} else {
		b.reverted++
	}
	b.steps = append(b.steps, projections.FeedStep{
		Number: b.step, Kind: kind, Height: row.height, BlockHash: row.hash, BlockSeq: row.seq, BlockIndex: row.index, SourceSeq: because,
	})
	b.sizes = append(b.sizes, row.size)
	return b.step
}

var (
	stepColumns    = []string{"step", "height", "source_seq", "block_seq", "block_size", "block_index", "kind", "block_hash"}
	blockColumns   = []string{"height", "source_seq", "step", "size", "block_index", "block_hash", "content_digest"}
	anomalyColumns = []string{"source_seq", "height", "kind", "pointer", "block_hash"}
)

func (b *batch) write(ctx context.Context) error {
	var gone []int64
	var blocks, anomalies [][]any
	for height := range b.changed {
		gone = append(gone, height)
		if row, ok := b.blocks[height]; ok {
			blocks = append(blocks, []any{row.height, row.seq, row.step, row.size, row.index, row.hash[:], row.digest[:]})
		}
	}
	if len(gone) > 0 {
		if _, err := b.tx.Exec(ctx, b.spec.SQL(`DELETE FROM {schema}.block WHERE height = ANY ($1)`), gone); err != nil {
			return fmt.Errorf("delete the blocks at %d heights: %w", len(gone), err)
		}
	}
	for _, a := range b.anomalies {
		anomalies = append(anomalies, []any{a.seq, int64(a.block.Height), a.kind, a.block.Pointer, a.block.Hash[:]})
	}
	steps := make([][]any, len(b.steps))
	for i := range b.steps {
		s := &b.steps[i]
		steps[i] = []any{s.Number, s.Height, s.SourceSeq, s.BlockSeq, b.sizes[i], s.BlockIndex, int16(s.Kind), s.BlockHash[:]}
	}
	for _, table := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{{"block", blockColumns, blocks}, {"step", stepColumns, steps}, {"anomaly", anomalyColumns, anomalies}} {
		if err := b.spec.Copy(ctx, b.tx, table.name, table.columns, table.rows); err != nil {
			return err
		}
	}
	return projections.WriteQuarantine(ctx, b.tx, b.spec, b.logger, b.quarantined)
}
