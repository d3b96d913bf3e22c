package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/internal/dberror"
	"strata/internal/tracing"
	"strata/projections"
)

// take applies items that were read from the input, no faster than the throttle allows.
func (f *follower[T]) take(ctx context.Context, items []T) error {
	for len(items) > 0 {
		n, err := f.throttle.Wait(ctx, len(items))
		if err != nil {
			return err
		}
		if err := f.takeNext(ctx, items[:n]); err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}

// takeNext applies items. When they are not the next ones it returns errMoved, or a *FoldError if the next one is
// missing from the input.
func (f *follower[T]) takeNext(ctx context.Context, items []T) error {
	consecutive := 0
	for consecutive < len(items) && items[consecutive].Position() == f.position+int64(consecutive)+1 {
		consecutive++
	}
	if consecutive > 0 {
		if err := f.applyOrIsolate(ctx, items[:consecutive]); err != nil || consecutive == len(items) {
			return err
		}
	}
	next := items[consecutive]
	place, err := f.readPlace(ctx)
	if err != nil {
		return err
	}
	if place.Position != f.position || next.Position() <= f.position {
		return fmt.Errorf("%w: at %d, next item is %d", errMoved, f.position, next.Position())
	}
	return &FoldError{
		Projection: f.spec.Schema, Position: f.position + 1, LogSeq: next.LogSeq(),
		Err: fmt.Errorf("it is missing from the input, which goes on at %d", next.Position()),
	}
}

// applyOrIsolate applies items. When they fail for a reason of their own, it applies halves, so that all items before the
// one at fault are applied, and returns a *FoldError for that one.
func (f *follower[T]) applyOrIsolate(ctx context.Context, items []T) error {
	err := f.apply(ctx, items)
	switch {
	case err == nil, dberror.Passing(err), errors.Is(err, errMoved):
		return err
	case len(items) > 1:
		half := len(items) / 2
		if err := f.applyOrIsolate(ctx, items[:half]); err != nil {
			return err
		}
		return f.applyOrIsolate(ctx, items[half:])
	}
	return &FoldError{Projection: f.spec.Schema, Position: items[0].Position(), LogSeq: items[0].LogSeq(), Err: err}
}

// apply folds items, together with the members of the leader's group.
func (f *follower[T]) apply(ctx context.Context, items []T) error {
	if events, ok := any(items).([]projections.LogItem); ok && f.group != nil {
		return f.group.fold(ctx, events)
	}
	return f.applyAlone(ctx, items)
}

// applyAlone folds items in as many transactions as the projection needs: one, normally.
func (f *follower[T]) applyAlone(ctx context.Context, items []T) error {
	for len(items) > 0 {
		left, err := f.applyOnce(ctx, items)
		if err != nil {
			return err
		}
		items = items[len(items)-left:]
	}
	return nil
}

// applyOnce folds items, moves the position and stores the outcome, in one transaction. It returns how many items at the
// end are left to fold again.
func (f *follower[T]) applyOnce(ctx context.Context, items []T) (left int, err error) {
	return f.applyWith(ctx, items, func(pgx.Tx) error { return nil })
}

// applyWith is applyOnce with more that is written in the same transaction.
func (f *follower[T]) applyWith(ctx context.Context, items []T, more func(tx pgx.Tx) error) (left int, err error) {
	done, err := take(ctx, f.turns, items)
	if err != nil {
		return 0, err
	}
	defer done()
	started := time.Now()
	ctx, span := startFold(ctx, f.tracer, f.spec.Schema, items)
	defer span.End()
	m := moveOf(f, items)
	err = pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) (err error) {
		setup := &pgx.Batch{}
		setup.Queue(foldSettings, true)
		there := queuePlaces(setup, lockPlaces, []place{m.place})
		if err := tx.SendBatch(ctx, setup).Close(); err != nil {
			return fmt.Errorf("move projection %s to %d: %w", f.spec, m.to, err)
		}
		if !there[f.spec.Schema] {
			return errMoved
		}
		if m.outcome, err = f.fold(ctx, tx, items); err != nil {
			return err
		}
		if err := more(tx); err != nil {
			return err
		}
		if left = m.outcome.Left; left > 0 {
			m.stopBefore(items[len(items)-left])
		}
		m.rate = f.meter.RateWith(len(items) - left) // few items may be folded at once, and are a rate all the same
		return writeMoves(ctx, tx, []*move{m}, &notice{}, "")
	})
	if err != nil {
		tracing.Fail(span, err)
		f.projection.Forget()
		return 0, err
	}
	f.metrics.transactions.Inc()
	f.journal.Moved()
	f.folded(ctx, m.to, len(items)-left, m.outcome, time.Since(started))
	f.committed()
	return left, nil
}

// foldSettings make the settings for folds.
//
// The commit does not wait for the disk: rows and position are lost together or not at all, and the log has the events.
//
// A fold looks up rows by keys, many at once, and there is an index for each kind of look-up. The planner can't know
// that: a table that is being built has no statistics, or those of a moment when it was small or empty. It would then
// read the whole table, or all rows of an account, for a few of them, again and again, and ever longer as the table
// grows. So the settings leave the planner no other way than an index look-up for each key, and make it plan each
// statement once.
//
// The server ends a transaction for which this process does nothing for long: it holds positions that others wait for.
//
// They are for the transaction if $1 is true, and otherwise for all transactions of the connection.
const foldSettings = `
	SELECT set_config('synchronous_commit', 'off', $1),
	       set_config('enable_seqscan', 'off', $1), set_config('enable_bitmapscan', 'off', $1),
	       set_config('enable_hashjoin', 'off', $1), set_config('enable_mergejoin', 'off', $1),
	       set_config('plan_cache_mode', 'force_generic_plan', $1), set_config('idle_in_transaction_session_timeout', '5min', $1)`

// queueMove queues the compare-and-set of a position. moved is set when the batch has run: false when another process has
// moved it.
func (f *follower[T]) queueMove(batch *pgx.Batch, last T) (moved *bool) {
	moved = new(bool)
	batch.Queue(`
		UPDATE strata.projection SET position = $5, log_seq = $6, updated_at = now(), rate = coalesce($7, rate)
		WHERE name = $1 AND version = $2 AND epoch = $3 AND position = $4`,
		f.spec.Name, f.spec.Version, f.epoch, f.position, last.Position(), last.LogSeq(), f.meter.Rate()).
		Exec(func(tag pgconn.CommandTag) error {
			*moved = tag.RowsAffected() == 1
			return nil
		})
	return moved
}

// fold lets the projection fold items. A panic of its code becomes an error.
func (f *follower[T]) fold(ctx context.Context, tx pgx.Tx, items []T) (outcome projections.Outcome, err error) {
	err = projections.Recovered(func() (err error) {
		outcome, err = f.projection.Fold(ctx, tx, f.position, items)
		return err
	})
	return outcome, err
}

// folded takes note of a committed fold of some items, up to a position.
func (f *follower[T]) folded(ctx context.Context, position int64, items int, outcome projections.Outcome, took time.Duration) {
	f.reach(position)
	f.metrics.applied(ctx, f.spec.Schema, items, took)
	if outcome.Observe != nil && f.active.Load() {
		outcome.Observe()
	}
}
