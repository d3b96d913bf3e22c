package subscriptions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/step"
	"strata/subscriptions/filter"
)

// Bounds of what is looked at at once.
const (
	pageSteps = 500
	pageBytes = 16 << 20 // of bodies of blocks
	// pendingMost is how many messages a subscription that catches up may have that were not acknowledged. Then it waits.
	pendingMost = 1000
)

// catchUpFor is for how long those at the tip may have to wait for those that catch up.
const catchUpFor = 200 * time.Millisecond

// holderFor is for how long a process holds the row, unless it says that it still works.
const holderFor = 30 * time.Second

var (
	// errNotHolder means that another process holds the row.
	errNotHolder = errors.New("another process matches subscriptions now")
	// errChanged means that a person has changed a subscription, so that they have to be read again.
	errChanged = errors.New("a subscription has changed meanwhile")
)

// holder finds matches, as long as this process holds the row.
type holder struct {
	*Role
	changes       int64
	subscriptions map[uuid.UUID]*subscription // active ones
	at            place                       // that of the grouped ones
	index         *filter.Index               // of the grouped ones; nil until it is made
	grouped       []*subscription             // in the order of the index
	turn          uuid.UUID                   // of those that catch up, who had it last
	renewed       time.Time
}

// hold takes the row. It returns errNotHolder if another process has it.
func (r *Role) hold(ctx context.Context) error {
	tag, err := r.pool.Exec(ctx, `
		INSERT INTO log.subscription_progress AS p (holder, held_until) VALUES ($1, now() + $2)
		ON CONFLICT (singleton) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
		WHERE p.holder = excluded.holder OR p.held_until < now()`, r.name, holderFor)
	if err == nil && tag.RowsAffected() == 0 {
		err = errNotHolder
	}
	return err
}

// release lets another process take the row at once.
func (r *Role) release(ctx context.Context) {
	_, _ = r.pool.Exec(ctx, `UPDATE log.subscription_progress SET held_until = '-infinity' WHERE holder = $1`, r.name)
}

// load reads all that is active.
func (h *holder) load(ctx context.Context) error {
	var id []byte
	err := h.pool.QueryRow(ctx, `SELECT changes, epoch, step, log_seq, height, index_block_hash FROM log.subscription_progress`).
		Scan(&h.changes, &h.at.epoch, &h.at.step, &h.at.logSeq, &h.at.height, &id)
	if err != nil {
		return err
	}
	h.at.block = hash.Hash32{}
	copy(h.at.block[:], id)
	rows, err := h.pool.Query(ctx, `SELECT `+columns+` WHERE s.state = 'active'`)
	if err != nil {
		return err
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*subscription, error) { return scanKnown(row, h.subscriptions) })
	if err != nil {
		return fmt.Errorf("read the subscriptions: %w", err)
	}
	h.subscriptions = map[uuid.UUID]*subscription{}
	for _, s := range all {
		h.subscriptions[s.id] = s
	}
	h.index = nil
	h.deliveries.replace(all)
	return nil
}

// group makes the index of the grouped ones.
func (h *holder) group() {
	if h.index != nil {
		return
	}
	h.grouped = nil
	var filters []*filter.Filter
	for _, s := range h.subscriptions {
		if s.grouped {
			h.grouped, filters = append(h.grouped, s), append(filters, s.filter)
		}
	}
	h.index = filter.NewIndex(filters)
}

// pass finds matches in what is new, and reports whether there may be more.
func (h *holder) pass(ctx context.Context) (more bool, err error) {
	var changes int64
	if err := h.pool.QueryRow(ctx, `SELECT changes FROM log.subscription_progress`).Scan(&changes); err != nil {
		return false, err
	}
	if changes != h.changes {
		return false, errChanged
	}
	if len(h.subscriptions) == 0 {
		return false, h.renew(ctx)
	}
	c, err := h.chain(ctx)
	if errors.Is(err, errNoChain) {
		return false, h.renew(ctx)
	}
	if err != nil {
		return false, err
	}
	tip, err := h.tip(ctx, c)
	if err != nil {
		return false, err
	}
	moved, err := h.move(ctx, c, tip)
	if err != nil || !moved {
		return false, errors.Join(err, h.renew(ctx))
	}
	if more, err = h.passGroup(ctx, c, tip); err != nil {
		return false, err
	}
	began := time.Now()
	for _, s := range h.behind() {
		if time.Since(began) > catchUpFor {
			more = true // first those at the tip again, and then who comes next
			break
		}
		h.turn = s.id
		if s.sequence-h.deliveries.delivered(s) >= pendingMost {
			continue
		}
		ahead, err := h.catchUp(ctx, c, s)
		if err != nil {
			return false, err
		}
		more = more || ahead
	}
	return more, h.renew(ctx)
}

// behind returns those that are not at the tip, from the one after the last that had its turn.
func (h *holder) behind() (all []*subscription) {
	for _, s := range h.subscriptions {
		if !s.grouped {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *subscription) int { return slices.Compare(a.id[:], b.id[:]) })
	next := max(0, slices.IndexFunc(all, func(s *subscription) bool { return slices.Compare(s.id[:], h.turn[:]) > 0 }))
	return slices.Concat(all[next:], all[:next])
}

// renew says that this process still works, if it has not said so for a while.
func (h *holder) renew(ctx context.Context) error {
	if time.Since(h.renewed) < holderFor/3 {
		return nil
	}
	return h.write(ctx, func(pgx.Tx) error { return nil })
}

// write calls f in a transaction in which this process holds the row, and no person has changed a subscription.
func (h *holder) write(ctx context.Context, f func(tx pgx.Tx) error) error {
	begun := time.Now()
	err := pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error {
		var changes int64
		err := tx.QueryRow(ctx, `
			UPDATE log.subscription_progress SET held_until = now() + $2 WHERE holder = $1 RETURNING changes`, h.name, holderFor).Scan(&changes)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errNotHolder
		case err != nil:
			return err
		case changes != h.changes:
			return errChanged
		}
		return f(tx)
	})
	if err == nil {
		h.renewed = begun
	}
	return err
}

// move finds the places on today's list of steps, if that is another one. It reports false while that list is not as far.
func (h *holder) move(ctx context.Context, c stepList, tip place) (bool, error) {
	if h.at.epoch == "" { // nobody was ever at the tip
		err := h.write(ctx, func(tx pgx.Tx) error { return setProgress(ctx, tx, tip) })
		if err != nil {
			return false, err
		}
		h.at = tip
	}
	if h.at.epoch != c.epoch {
		to, ok, err := h.moved(ctx, c, h.at)
		if errors.Is(err, errOtherChain) {
			h.group()
			for _, s := range h.grouped {
				if err := h.stop(ctx, s, errOtherChain); err != nil {
					return false, err
				}
			}
			to, ok, err = tip, true, nil
		}
		if err != nil || !ok {
			return false, err
		}
		if err := h.write(ctx, func(tx pgx.Tx) error { return setProgress(ctx, tx, to) }); err != nil {
			return false, err
		}
		h.at = to
	}
	for _, s := range h.subscriptions {
		if s.grouped || s.at.epoch == c.epoch {
			continue
		}
		to, ok, err := h.moved(ctx, c, s.at)
		if errors.Is(err, errOtherChain) {
			if err := h.stop(ctx, s, err); err != nil {
				return false, err
			}
			continue
		}
		if err != nil || !ok {
			return false, err
		}
		if err := h.write(ctx, func(tx pgx.Tx) error { return setPlace(ctx, tx, s, to, false) }); err != nil {
			return false, err
		}
		s.at = to
	}
	return true, nil
}

// stop pauses a subscription that can't go on.
func (h *holder) stop(ctx context.Context, s *subscription, why error) error {
	h.logger.LogAttrs(ctx, slog.LevelError, "a subscription can't go on", slog.String("subscription", s.id.String()), slog.Any("error", why))
	err := h.write(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, pauseSQL, s.id, why.Error())
		return err
	})
	if err == nil {
		delete(h.subscriptions, s.id)
		h.deliveries.remove(s.id)
		h.index = nil
	}
	return err
}

func setProgress(ctx context.Context, tx pgx.Tx, p place) error {
	_, err := tx.Exec(ctx, `UPDATE log.subscription_progress SET epoch = $1, step = $2, log_seq = $3, height = $4, index_block_hash = $5`,
		p.epoch, p.step, p.logSeq, p.height, blockBytes(p))
	return err
}

func setPlace(ctx context.Context, tx pgx.Tx, s *subscription, p place, grouped bool) error {
	_, err := tx.Exec(ctx, `
		UPDATE log.subscription SET epoch = $2, step = $3, log_seq = $4, height = $5, index_block_hash = $6, grouped = $7 WHERE id = $1`,
		s.id, p.epoch, p.step, p.logSeq, p.height, blockBytes(p), grouped)
	return err
}

// batch collects messages, until one transaction writes them.
type batch struct {
	ids                []uuid.UUID
	sequences          []int64
	kinds              []int16
	blockSeqs, logSeqs []int64
	last               map[*subscription]int64 // sequence
	floors             map[*subscription]int64
}

func newBatch() *batch {
	return &batch{last: map[*subscription]int64{}, floors: map[*subscription]int64{}}
}

// take adds the message of a step, if it is for a subscription that has something in its block.
func (f *batch) take(s *subscription, st *stepRow) {
	sequence, ok := f.last[s]
	if !ok {
		sequence = s.sequence
	}
	sequence++
	f.last[s] = sequence
	f.ids, f.sequences, f.kinds = append(f.ids, s.id), append(f.sequences, sequence), append(f.kinds, int16(st.kind))
	f.blockSeqs, f.logSeqs = append(f.blockSeqs, st.blockSeq), append(f.logSeqs, st.logSeq)
}

// reverts reports whether a subscription was to hear of the block that a step reverts. Blocks below the floor were applied before the
// first step that it looked at.
func (f *batch) reverts(s *subscription, st *stepRow) bool {
	floor, ok := f.floors[s]
	if !ok {
		floor = s.floor
	}
	if st.of > floor {
		return true
	}
	f.floors[s] = st.of - 1
	return false
}

func (f *batch) write(ctx context.Context, tx pgx.Tx) error {
	if len(f.ids) > 0 {
		_, err := tx.Exec(ctx, `
			INSERT INTO log.subscription_message (subscription, sequence, kind, block_seq, log_seq)
			SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::bigint[], $5::bigint[])`, f.ids, f.sequences, f.kinds, f.blockSeqs, f.logSeqs)
		if err != nil {
			return err
		}
	}
	for what, values := range map[string]map[*subscription]int64{"sequence": f.last, "floor": f.floors} {
		var ids []uuid.UUID
		var to []int64
		for s, n := range values {
			ids, to = append(ids, s.id), append(to, n)
		}
		if len(ids) == 0 {
			continue
		}
		_, err := tx.Exec(ctx, `
			UPDATE log.subscription s SET `+what+` = v.n FROM unnest($1::uuid[], $2::bigint[]) v (id, n) WHERE s.id = v.id`, ids, to)
		if err != nil {
			return err
		}
	}
	return nil
}

// done takes over what was written.
func (h *holder) done(f *batch) {
	for s, n := range f.last {
		s.sequence = n
		h.deliveries.made(s.id, n)
	}
	for s, n := range f.floors {
		s.floor = n
	}
}

// passGroup looks at the next steps for those at the tip, and reports whether there are more.
func (h *holder) passGroup(ctx context.Context, c stepList, tip place) (more bool, err error) {
	if h.at.step >= tip.step {
		return false, nil
	}
	if h.group(); len(h.grouped) == 0 {
		if err := h.write(ctx, func(tx pgx.Tx) error { return setProgress(ctx, tx, tip) }); err != nil {
			return false, err
		}
		h.at = tip
		return false, nil
	}
	steps, err := h.steps(ctx, c, h.at.step, tip.step, pageSteps, pageBytes)
	if err != nil || len(steps) == 0 {
		return false, err
	}
	blocks, err := h.blocks(ctx, steps)
	if err != nil {
		return false, err
	}
	f := newBatch()
	for i := range steps {
		st := &steps[i]
		if st.kind == step.TakeRecord {
			continue
		}
		late := map[*subscription]bool{} // they never heard of the block that is reverted
		if st.kind == step.Revert {
			for _, s := range h.grouped {
				late[s] = !f.reverts(s, st)
			}
		}
		for _, n := range h.index.Matching(blocks[st.blockSeq]) {
			if s := h.grouped[n]; !late[s] {
				f.take(s, st)
			}
		}
	}
	last := steps[len(steps)-1].place
	if err := h.write(ctx, func(tx pgx.Tx) error { return errors.Join(f.write(ctx, tx), setProgress(ctx, tx, last)) }); err != nil {
		return false, err
	}
	h.at = last
	h.done(f)
	return last.step < tip.step, nil
}

// catchUp looks at the next steps for one that is not at the tip, and reports whether there are more. When it is there, it joins the
// others.
func (h *holder) catchUp(ctx context.Context, c stepList, s *subscription) (more bool, err error) {
	f, last := newBatch(), s.at
	if s.at.step < h.at.step {
		steps, err := h.steps(ctx, c, s.at.step, h.at.step, pageSteps, pageBytes)
		if err != nil || len(steps) == 0 {
			return false, err
		}
		blocks, err := h.blocks(ctx, steps)
		if err != nil {
			return false, err
		}
		alone := filter.NewIndex([]*filter.Filter{s.filter})
		for i := range steps {
			st := &steps[i]
			if st.kind == step.TakeRecord || st.kind == step.Revert && !f.reverts(s, st) {
				continue
			}
			if len(alone.Matching(blocks[st.blockSeq])) > 0 {
				f.take(s, st)
			}
		}
		last = steps[len(steps)-1].place
	}
	joins := last.step == h.at.step && last.epoch == h.at.epoch
	if !joins && last == s.at {
		return false, nil // ahead of those at the tip, who will come here
	}
	if err := h.write(ctx, func(tx pgx.Tx) error { return errors.Join(f.write(ctx, tx), setPlace(ctx, tx, s, last, joins)) }); err != nil {
		return false, err
	}
	s.at, s.grouped = last, joins
	h.done(f)
	if joins {
		h.index = nil
	}
	return !joins, nil
}
