package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errFailedElsewhere is returned by follow for a version that another process has found to fail.
var errFailedElsewhere = errors.New("failed in another process")

// following is a follower, whatever it folds.
type following interface {
	// run follows until ctx ends, or the instance is gone.
	run(ctx context.Context)
	// foldUntil folds up to a position, or to the end of the input.
	foldUntil(ctx context.Context, position int64) error
	// connect says whom to wait for, if anybody, and what to call after each commit. It comes before run.
	connect(pace *pace, committed func())
	// observe says whether metrics tell of this instance.
	observe(active bool)
	seen() *progress
}

// follower keeps one instance of a projection up to date with its input. It owns the transaction in which rows and position
// change together.
type follower[T Item] struct {
	pool       *pgxpool.Pool
	source     source[T]
	projection Projection[T]
	spec       Spec
	epoch      [16]byte // of the instance: another one may get its number
	logger     *slog.Logger
	metrics    *metrics
	// committed is called after each commit.
	committed func()
	// pace, when there is one, is asked before each batch of a bulk.
	pace     *pace
	throttle *throttle
	active   atomic.Bool

	position int64
	meter    meter
	progress progress
}

// newFollower is nil when the code of the projection can't fold into the tables of this instance.
func newFollower[T Item](e *engine, i registered, projection Projection[T], source source[T]) following {
	fold := folder(projection, i.Instance)
	if fold == nil {
		return nil
	}
	f := &follower[T]{
		pool: e.pool, source: source, projection: fold, spec: fold.Spec(), epoch: i.epoch,
		logger: e.logger, metrics: e.metrics, committed: func() {}, throttle: newThrottle(e.pool, i.Instance),
	}
	f.active.Store(i.active)
	return f
}

func (f *follower[T]) connect(pace *pace, committed func()) { f.pace, f.committed = pace, committed }

func (f *follower[T]) observe(active bool) { f.active.Store(active) }

func (f *follower[T]) seen() *progress { return &f.progress }

// run follows until ctx ends, or the instance is gone.
func (f *follower[T]) run(ctx context.Context) {
	patience := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(50*time.Millisecond), backoff.WithMaxInterval(5*time.Second), backoff.WithMaxElapsedTime(0))
	first := true
	for ctx.Err() == nil {
		err := f.follow(ctx, first)
		f.projection.Forget()
		switch {
		case ctx.Err() != nil, errors.Is(err, ErrNotRegistered):
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
			f.metrics.waits.WithLabelValues(f.spec.labels()...).Inc()
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
	f.metrics.failed.WithLabelValues(f.spec.labels()...).Set(1)
	defer f.metrics.failed.WithLabelValues(f.spec.labels()...).Set(0)
	written := false
	for ctx.Err() == nil {
		if !written {
			written = writeFailure(ctx, f.pool, f.spec, f.failedAt(cause), cause) == nil
		} else if place, err := f.readPlace(ctx); errors.Is(err, ErrNotRegistered) || err == nil && place.state != StateFailed {
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
	before, err := f.readPlace(ctx)
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
	place, err := f.readPlace(ctx) // it may have moved, or failed, while another process led
	if err != nil {
		return err
	}
	if place.state == StateFailed && before.state != StateFailed {
		return errFailedElsewhere
	}
	f.reach(place.position)
	err = f.keepUp(ctx)
	if err != nil && ctx.Err() == nil && !transient(err) && !errors.Is(err, errMoved) && !errors.Is(err, ErrNotRegistered) {
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
		f.metrics.head.WithLabelValues(f.spec.labels()...).Set(float64(head))
		far, err := f.far(ctx, f.position, head)
		if err != nil {
			return err
		}
		arrived := false
		if !far {
			if arrived, err = f.arrive(ctx); err != nil {
				return err
			}
		}
		if !arrived {
			if err := writeState(ctx, f.pool, f.spec, StateBuilding); err != nil {
				return err
			}
			if err := f.bulk(ctx); err != nil {
				return err
			}
			continue
		}
		if err := f.live(ctx); err != nil {
			return err
		}
	}
	return nil
}

// arrive is called at the head: what is missing of the build is done, and the state says that the instance is live. It is not
// there yet while the head is only as far as a leader has come that is being built itself.
func (f *follower[T]) arrive(ctx context.Context) (bool, error) {
	place, err := f.readPlace(ctx)
	if err != nil {
		return false, err
	}
	if final, err := f.source.final(ctx); err != nil || !final {
		return false, err
	}
	if rate := f.meter.rate(); rate != nil {
		if _, err := f.pool.Exec(ctx, `UPDATE strata.projection SET rate = $4 WHERE name = $1 AND version = $2 AND epoch = $3`, f.spec.Name, f.spec.Version, f.epoch, *rate); err != nil {
			return false, fmt.Errorf("note how quick projection %s was: %w", f.spec, err)
		}
	}
	if !place.indexed {
		if err := index(ctx, f.pool, f.spec, f.logger); err != nil {
			return false, err
		}
	}
	return true, writeState(ctx, f.pool, f.spec, StateLive)
}

// readPlace reads where the instance stands; ErrNotRegistered when it is gone.
func (f *follower[T]) readPlace(ctx context.Context) (place, error) {
	return readPlace(ctx, f.pool, f.spec, f.epoch)
}

func (f *follower[T]) reach(position int64) {
	f.position = position
	f.progress.position.Store(position)
	f.metrics.position.WithLabelValues(f.spec.labels()...).Set(float64(position))
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
