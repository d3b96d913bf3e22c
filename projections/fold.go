package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// foldAttempts is how often a single item is tried before it stops its projection.
const foldAttempts = 5

// take applies items that were read from the input, no faster than the throttle lets it.
func (f *follower[T]) take(ctx context.Context, items []T) error {
	for len(items) > 0 {
		n, err := f.throttle.wait(ctx, len(items))
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

// takeNext applies items, and finds out what is wrong when they are not the next ones.
func (f *follower[T]) takeNext(ctx context.Context, items []T) error {
	following := 0
	for following < len(items) && items[following].Position() == f.position+int64(following)+1 {
		following++
	}
	if following > 0 {
		if err := f.applyOrIsolate(ctx, items[:following]); err != nil || following == len(items) {
			return err
		}
	}
	next := items[following]
	place, err := f.readPlace(ctx)
	if err != nil {
		return err
	}
	if place.position != f.position || next.Position() <= f.position {
		return fmt.Errorf("%w: at %d, next item is %d", errMoved, f.position, next.Position())
	}
	return &FoldError{
		Projection: f.spec.String(), Position: f.position + 1, LogSeq: next.LogSeq(),
		Err: fmt.Errorf("it is missing from the input, which goes on at %d", next.Position()),
	}
}

// applyOrIsolate applies items; when they fail for a reason of their own, it applies halves, so that all items
// before the one at fault are applied, and that one alone is tried a few times before it is given up.
func (f *follower[T]) applyOrIsolate(ctx context.Context, items []T) error {
	err := f.apply(ctx, items)
	switch {
	case err == nil, transient(err), errors.Is(err, errMoved):
		return err
	case len(items) > 1:
		half := len(items) / 2
		if err := f.applyOrIsolate(ctx, items[:half]); err != nil {
			return err
		}
		return f.applyOrIsolate(ctx, items[half:])
	}
	attempts := backoff.WithContext(backoff.WithMaxRetries(backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(20*time.Millisecond)), foldAttempts-2), ctx)
	err = backoff.Retry(func() error {
		err := f.apply(ctx, items)
		if err != nil && (transient(err) || errors.Is(err, errMoved)) {
			return backoff.Permanent(err)
		}
		return err
	}, attempts)
	if err == nil || transient(err) || errors.Is(err, errMoved) {
		return err
	}
	return &FoldError{Projection: f.spec.String(), Position: items[0].Position(), LogSeq: items[0].LogSeq(), Err: err}
}

// apply folds items and moves the position, in one transaction.
func (f *follower[T]) apply(ctx context.Context, items []T) error {
	started := time.Now()
	last := items[len(items)-1]
	var outcome Outcome
	err := pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) error {
		if err := f.move(ctx, tx, last); err != nil {
			return err
		}
		err := guarded(func() (err error) {
			outcome, err = f.projection.Fold(ctx, tx, f.position, items)
			return err
		})
		if err != nil {
			return err
		}
		return f.writeOutcome(ctx, tx, last.Position(), outcome)
	})
	if err != nil {
		f.projection.Forget()
		return err
	}
	f.reach(last.Position())
	f.metrics.applied(f.spec, len(items), time.Since(started))
	if outcome.Observe != nil && f.active.Load() {
		outcome.Observe()
	}
	f.committed()
	return nil
}

// foldSettings hold for the transaction of a fold.
//
// Rows and position are lost together or not at all, and the log has the events: no need to wait for the disk.
//
// A fold looks rows up by keys, of which it has many at once, and there is an index for each. The planner does not know that: a
// table that is being built has no statistics, or those of a moment at which it was small or empty, and then all of it, or all
// that belongs to an account, is read for a few rows, again and again, the longer the more. So the planner has no way but through
// an index, one key after another, and thinks once.
const foldSettings = `
	SELECT set_config('synchronous_commit', 'off', true),
	       set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
	       set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
	       set_config('plan_cache_mode', 'force_generic_plan', true)`

// move is the compare-and-set that makes each item count once. Its row lock also keeps a second process from
// folding the same items at the same time.
func (f *follower[T]) move(ctx context.Context, tx pgx.Tx, last T) error {
	setup := &pgx.Batch{}
	setup.Queue(foldSettings)
	setup.Queue(`
		UPDATE strata.projection SET position = $5, log_seq = $6, updated_at = now(), rate = coalesce($7, rate)
		WHERE name = $1 AND version = $2 AND epoch = $3 AND position = $4`,
		f.spec.Name, f.spec.Version, f.epoch, f.position, last.Position(), last.LogSeq(), f.meter.rate())
	moved := false
	setup.QueuedQueries[1].Exec(func(tag pgconn.CommandTag) error {
		moved = tag.RowsAffected() == 1
		return nil
	})
	if err := tx.SendBatch(ctx, setup).Close(); err != nil {
		return fmt.Errorf("move projection %s to %d: %w", f.spec, last.Position(), err)
	}
	if !moved {
		return errMoved
	}
	return nil
}

// writeOutcome notes the tip, and what readers must read again.
func (f *follower[T]) writeOutcome(ctx context.Context, tx pgx.Tx, position int64, outcome Outcome) error {
	var height, burnHeight *int64
	var indexBlockHash, blockHash []byte
	if tip := outcome.Tip; tip != nil {
		height, burnHeight = &tip.Height, &tip.BurnBlockHeight
		indexBlockHash, blockHash = tip.IndexBlockHash[:], tip.BlockHash[:]
	}
	shards, everything := outcome.Touched.list()
	writes := &pgx.Batch{}
	writes.Queue(`
		UPDATE strata.projection
		SET block_height = $3, index_block_hash = $4, block_hash = $5, burn_block_height = $6,
		    shards_from = CASE WHEN $7 THEN $8 ELSE shards_from END
		WHERE name = $1 AND version = $2`,
		f.spec.Name, f.spec.Version, height, indexBlockHash, blockHash, burnHeight, everything, position)
	if len(shards) > 0 {
		writes.Queue(`
			INSERT INTO strata.shard (name, version, shard, position)
			SELECT $1, $2, touched, $4 FROM unnest($3::int[]) AS touched
			ON CONFLICT (name, version, shard) DO UPDATE SET position = excluded.position`,
			f.spec.Name, f.spec.Version, shards, position)
	}
	if err := tx.SendBatch(ctx, writes).Close(); err != nil {
		return fmt.Errorf("note the tip of projection %s, and %d shards that changed: %w", f.spec, len(shards), err)
	}
	return nil
}
