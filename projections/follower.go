package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// bulkLag is how many items behind the head a follower takes them in batches rather than one by one.
const bulkLag = 64

// A follower that has caught up goes on in batches while more than bulkLag items come in each calmTime: one by one it would
// only fall behind again. It looks for more every gatherTime, so that what comes meanwhile shares a transaction.
const (
	calmTime   = time.Second
	gatherTime = 10 * time.Millisecond
)

// foldAttempts is how often a single item is tried before it stops its projection.
const foldAttempts = 5

// errFailedElsewhere is returned by follow for a version that another process has found to fail.
var errFailedElsewhere = errors.New("failed in another process")

// follower keeps one projection up to date with its input. It owns the transaction in which rows and position
// change together.
type follower[T Item] struct {
	pool       *pgxpool.Pool
	source     source[T]
	projection Projection[T]
	spec       Spec
	logger     *slog.Logger
	metrics    *metrics
	// committed is called after each commit.
	committed func()
	// pace, when there is one, is asked before each batch of a bulk.
	pace *pace

	position int64
	progress progress
}

// run follows until ctx ends. Only the end of ctx ends it.
func (f *follower[T]) run(ctx context.Context) {
	patience := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(50*time.Millisecond), backoff.WithMaxInterval(5*time.Second), backoff.WithMaxElapsedTime(0))
	first := true
	for ctx.Err() == nil {
		err := f.follow(ctx, first)
		f.projection.Forget()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errFailedElsewhere):
			first = false
			sleep(ctx, time.Second)
		case err == nil || errors.Is(err, errMoved):
			patience.Reset()
			first = false
		case transient(err):
			wait := patience.NextBackOff()
			f.logger.LogAttrs(ctx, slog.LevelWarn, "projection waits for the database",
				slog.String("projection", f.spec.String()), slog.Duration("wait", wait), slog.Any("error", err))
			f.metrics.waits.WithLabelValues(f.spec.Name).Inc()
			sleep(ctx, wait)
		default:
			first = false
			f.fail(ctx, err)
		}
	}
}

// fail stops the projection visibly and waits until somebody resumes it.
func (f *follower[T]) fail(ctx context.Context, cause error) {
	f.logger.LogAttrs(ctx, slog.LevelError, "projection stopped", slog.String("projection", f.spec.String()),
		slog.Int64("position", f.failedAt(cause)), slog.Any("error", cause))
	f.metrics.failed.WithLabelValues(f.spec.Name).Set(1)
	defer f.metrics.failed.WithLabelValues(f.spec.Name).Set(0)
	written := false
	for ctx.Err() == nil {
		if !written {
			written = writeFailure(ctx, f.pool, f.spec, f.failedAt(cause), cause) == nil
		} else if place, err := readPlace(ctx, f.pool, f.spec); err == nil && place.state != StateFailed {
			return
		}
		sleep(ctx, time.Second)
	}
}

// failedAt is the position of what an error that stops the projection is about.
func (f *follower[T]) failedAt(cause error) int64 {
	var fold *FoldError
	if errors.As(cause, &fold) {
		return fold.Position
	}
	return f.position + 1
}

// follow leads the projection, or stands by until it can, and follows until something goes wrong or another process
// moves the position. atStart lets a version that had failed in an earlier run of the program try again.
func (f *follower[T]) follow(ctx context.Context, atStart bool) error {
	before, err := readPlace(ctx, f.pool, f.spec)
	if err != nil {
		return err
	}
	if before.state == StateFailed && !atStart {
		return errFailedElsewhere
	}
	resign, err := lead(ctx, f.pool, f.spec, f.logger)
	if err != nil {
		return err
	}
	defer resign()
	place, err := readPlace(ctx, f.pool, f.spec) // it may have moved, or failed, while another process led
	if err != nil {
		return err
	}
	if place.state == StateFailed && before.state != StateFailed {
		return errFailedElsewhere
	}
	f.reach(place.position)
	err = f.keepUp(ctx)
	if err != nil && ctx.Err() == nil && !transient(err) && !errors.Is(err, errMoved) {
		// While it leads: who takes over must see it. fail writes it again when this does not succeed.
		_ = writeFailure(ctx, f.pool, f.spec, f.failedAt(err), err)
	}
	return err
}

// keepUp catches up in bulk and then lives at the head.
func (f *follower[T]) keepUp(ctx context.Context) error {
	f.progress.following.Store(true)
	defer f.progress.following.Store(false)
	for ctx.Err() == nil {
		head, err := f.source.head(ctx)
		if err != nil {
			return err
		}
		f.metrics.head.WithLabelValues(f.spec.Name).Set(float64(head))
		if head-f.position > bulkLag {
			if err := writeState(ctx, f.pool, f.spec, StateBuilding); err != nil {
				return err
			}
			if err := f.bulk(ctx); err != nil {
				return err
			}
			continue
		}
		if err := writeState(ctx, f.pool, f.spec, StateLive); err != nil {
			return err
		}
		if err := f.live(ctx); err != nil {
			return err
		}
	}
	return nil
}

// bulk takes batches until the head is reached and little comes any more, reading and decoding one batch while the one
// before is applied.
func (f *follower[T]) bulk(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	live := false
	taken, since := 0, time.Now()
	for b := range f.batches(ctx) {
		switch {
		case b.err != nil:
			return b.err
		case len(b.items) > 0:
			if f.pace != nil {
				if err := f.pace.wait(ctx); err != nil {
					return err
				}
			}
			if err := f.take(ctx, b.items); err != nil {
				return err
			}
			taken += len(b.items)
			continue
		case !live:
			if err := writeState(ctx, f.pool, f.spec, StateLive); err != nil {
				return err
			}
			live = true
		}
		if time.Since(since) < calmTime {
			continue
		}
		if taken <= bulkLag {
			return nil
		}
		taken, since = 0, time.Now()
	}
	return ctx.Err()
}

// itemBatch is what was read at once; no items at the head.
type itemBatch[T Item] struct {
	items []T
	err   error
}

// batches reads on from the position, one batch ahead of who takes them, until ctx ends or reading fails.
func (f *follower[T]) batches(ctx context.Context) <-chan itemBatch[T] {
	batches := make(chan itemBatch[T])
	go func() {
		defer close(batches)
		for after := f.position; ; {
			items, err := f.source.read(ctx, after)
			select {
			case batches <- itemBatch[T]{items, err}:
			case <-ctx.Done():
				return
			}
			switch {
			case err != nil:
				return
			case len(items) == 0:
				sleep(ctx, gatherTime)
			default:
				after = items[len(items)-1].Position()
			}
		}
	}()
	return batches
}

func (f *follower[T]) reach(position int64) {
	f.position = position
	f.progress.position.Store(position)
	f.metrics.position.WithLabelValues(f.spec.Name).Set(float64(position))
}

// take applies items that were read from the input, and finds out what is wrong when they are not the next ones.
func (f *follower[T]) take(ctx context.Context, items []T) error {
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
	place, err := readPlace(ctx, f.pool, f.spec)
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
	err := pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) error {
		if err := f.move(ctx, tx, last); err != nil {
			return err
		}
		var outcome Outcome
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
	f.committed()
	return nil
}

// move is the compare-and-set that makes each item count once. Its row lock also keeps a second process from
// folding the same items at the same time.
func (f *follower[T]) move(ctx context.Context, tx pgx.Tx, last T) error {
	setup := &pgx.Batch{}
	// Rows and position are lost together or not at all, and the log has the events: no need to wait for the disk.
	setup.Queue(`SET LOCAL synchronous_commit = off`)
	setup.Queue(`
		UPDATE strata.projection SET position = $4, log_seq = $5, updated_at = now()
		WHERE name = $1 AND version = $2 AND position = $3`, f.spec.Name, f.spec.Version, f.position, last.Position(), last.LogSeq())
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

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
