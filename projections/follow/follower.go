package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/commit"
	"strata/eventstore"
	"strata/internal/dberror"
	"strata/internal/pause"
	"strata/internal/tracing"
	"strata/projections"
	"strata/projections/follow/internal/lead"
	"strata/projections/follow/internal/speed"
	"strata/projections/internal/register"
)

// errFailedElsewhere is returned by follow for a version that has failed in another process.
var errFailedElsewhere = errors.New("failed in another process")

// versionFollower is a follower of one version, whatever kind of items it folds.
type versionFollower interface {
	// run follows until ctx ends, or the version is gone.
	run(ctx context.Context)
	// foldUntil folds up to a position, or to the end of the input.
	foldUntil(ctx context.Context, position int64) error
	// connect sets the pace to keep, if any, and functions to call after each commit: one that tells others in this process
	// and outside, and one for those in this process only. It must be called before run.
	connect(pace *pace, committed, signal func())
	// setActive says whether readers see this version, which decides whether metrics observe its folds.
	setActive(active bool)
	progressed() *progress
}

// follower keeps one version of a projection up to date with its input. It owns the transaction in which rows and
// position change together.
type follower[T projections.Item] struct {
	pool       *pgxpool.Pool
	tip        *pgxpool.Pool // for what it folds together with others
	settled    bool          // the connections of tip have the settings for folds
	source     source[T]
	projection projections.Projection[T]
	spec       projections.Spec
	epoch      [16]byte // of the version: a later one may get its number
	rules      int      // the number of the code that builds the version
	logger     *slog.Logger
	metrics    *metrics
	tracer     *tracing.Tracer
	signals    *TestSignals
	journal    *register.Journal
	leadership *lead.Leadership
	first      projections.Schema // the version whose leadership takes precedence; the zero Schema for none
	listener   *eventstore.Listener
	origin     string // the payload of this process's notifications
	publish    func([]commit.Move)
	committed  func()        // called after each commit alone, to tell others in this process and outside
	signal     func()        // wakes those in this process that wait for its steps
	interval   time.Duration // that of Config
	tight      func() bool   // reports that the disk has little space; nil: never
	pace       *pace         // waited for before each batch of bulk mode; nil for none
	throttle   *speed.Throttle
	turns      turns // of the process, for large content
	active     atomic.Bool

	// group is the one that a leader leads; nil for other projections.
	group *group
	// joins is the group to join: for a follower of steps that of its leader, for a leader that of the first line; nil for
	// the leader of the first line.
	joins *group
	// wroteSteps reports whether the fold of a leader that is under way has written steps.
	wroteSteps func() bool

	position       int64
	meter          speed.Meter
	failureWritten bool // the register has the failure that ended the last attempt to follow
	progress       progress
}

// newFollower returns nil when the code of the projection can't fold into the tables of this version.
func newFollower[T projections.Item](e *engine, version register.Entry, projection projections.Projection[T], source source[T]) *follower[T] {
	own := inSchema(projection, version.Schema)
	if own == nil {
		return nil
	}
	f := &follower[T]{
		pool: e.pool, tip: e.tip, settled: e.settled, source: source, projection: own, spec: own.Spec(), epoch: version.Epoch, rules: version.Rules,
		logger: e.logger, metrics: e.metrics, tracer: e.tracer, signals: e.signals, journal: &e.journal, leadership: e.leadership, tight: e.tight, interval: e.interval, listener: e.log.Listener(), origin: e.origin, publish: e.publish, committed: func() {}, signal: func() {}, turns: e.turns, throttle: speed.NewThrottle(e.pool, version.Schema),
	}
	f.active.Store(version.Active)
	return f
}

func (f *follower[T]) connect(pace *pace, committed, signal func()) {
	f.pace, f.committed, f.signal = pace, committed, signal
}

func (f *follower[T]) setActive(active bool) { f.active.Store(active) }

func (f *follower[T]) progressed() *progress { return &f.progress }

// run follows until ctx ends, or the version is gone.
func (f *follower[T]) run(ctx context.Context) {
	retry := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(50*time.Millisecond), backoff.WithMaxInterval(5*time.Second), backoff.WithMaxElapsedTime(0), backoff.WithRandomizationFactor(0))
	first := true
	for ctx.Err() == nil {
		before := f.position
		err := f.follow(ctx, first)
		f.projection.Forget()
		if f.position > before { // the failure is another one
			retry.Reset()
		}
		switch {
		case ctx.Err() != nil, errors.Is(err, register.ErrNotRegistered):
			return
		case errors.Is(err, errFailedElsewhere):
			first = false
			f.signals.StillFailed.Send()
			pause.For(ctx, f.interval)
		case err == nil || errors.Is(err, errMoved):
			first = false
		case dberror.Passing(err):
			wait := retry.NextBackOff()
			f.logger.LogAttrs(ctx, slog.LevelWarn, "projection waits for the database",
				slog.String("projection", f.spec.String()), slog.Duration("wait", wait), slog.Any("error", err))
			f.metrics.waits.WithLabelValues(labels(f.spec.Schema)...).Inc()
			pause.For(ctx, wait)
		default:
			first = false
			f.fail(ctx, err)
		}
	}
}

// fail stops the projection visibly, and returns when somebody has resumed it.
func (f *follower[T]) fail(ctx context.Context, cause error) {
	f.logger.LogAttrs(ctx, slog.LevelError, "projection stopped", slog.String("projection", f.spec.String()),
		slog.Int64("position", f.failedAt(cause)), slog.Any("error", cause))
	f.metrics.failed.WithLabelValues(labels(f.spec.Schema)...).Set(1)
	defer f.metrics.failed.WithLabelValues(labels(f.spec.Schema)...).Set(0)
	for ctx.Err() == nil {
		if !f.failureWritten {
			f.failureWritten = register.WriteFailure(ctx, f.pool, f.spec.Schema, f.epoch, f.failedAt(cause), cause) == nil
		} else {
			place, err := f.readPlace(ctx)
			if errors.Is(err, register.ErrNotRegistered) || err == nil && place.State != register.StateFailed {
				return
			}
			f.signals.StillFailed.Send()
		}
		pause.For(ctx, f.interval)
	}
}

// failedAt returns the position of the item that an error is about.
func (f *follower[T]) failedAt(cause error) int64 {
	var fold *FoldError
	if errors.As(cause, &fold) {
		return fold.Position
	}
	return f.position + 1
}

// follow leads the version, or stands by until it can, and follows until something goes wrong or another process moves
// the position. With atStart, a version that failed in an earlier run of the program is tried again.
func (f *follower[T]) follow(ctx context.Context, atStart bool) error {
	f.failureWritten = false
	before, err := f.readPlace(ctx)
	if err != nil {
		return err
	}
	if before.State == register.StateFailed && !atStart {
		return errFailedElsewhere
	}
	resign, err := f.leadership.Lead(ctx, f.spec.Schema, f.first, f.stands)
	if err != nil {
		return err
	}
	defer resign()
	place, err := f.readPlace(ctx) // it may have moved, or failed, while another process led
	if err != nil {
		return err
	}
	if place.State == register.StateFailed && before.State != register.StateFailed {
		return errFailedElsewhere
	}
	f.reach(place.Position)
	err = f.keepUp(ctx)
	if f.group != nil {
		f.group.close()
	}
	if err != nil && ctx.Err() == nil && !dberror.Passing(err) && !errors.Is(err, errMoved) && !errors.Is(err, register.ErrNotRegistered) {
		// The next leader must see the failure, so it is written while this process still leads. Only if that does not
		// succeed, fail tries again: a second write would undo what an operator has done since the first.
		f.failureWritten = register.WriteFailure(ctx, f.pool, f.spec.Schema, f.epoch, f.failedAt(err), err) == nil
	}
	return err
}

// keepUp follows the input: alone, and as a member of its group whenever it stands where the leader of that stands.
func (f *follower[T]) keepUp(ctx context.Context) error {
	f.progress.following.Store(true)
	defer f.progress.following.Store(false)
	for ctx.Err() == nil {
		if err := f.consume(ctx); err != nil {
			return err
		}
		if f.joins != nil && ctx.Err() == nil {
			if err := f.joins.join(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// arrive is called at the head. It finishes the build and stores that the version is live. It returns false when the
// head is not the real one yet, because the leader whose steps are folded is still being built itself.
func (f *follower[T]) arrive(ctx context.Context) (bool, error) {
	place, err := f.readPlace(ctx)
	if err != nil {
		return false, err
	}
	if final, err := f.source.final(ctx); err != nil || !final {
		return false, err
	}
	if rate := f.meter.Rate(); rate != nil {
		_, err := f.pool.Exec(ctx, `UPDATE strata.projection SET rate = $4 WHERE name = $1 AND version = $2 AND epoch = $3`,
			f.spec.Name, f.spec.Version, f.epoch, *rate)
		if err != nil {
			return false, fmt.Errorf("note the rate of projection %s: %w", f.spec, err)
		}
	}
	if !place.Indexed {
		if err := register.Index(ctx, f.pool, f.spec, f.epoch, f.logger); err != nil {
			return false, err
		}
	}
	return true, register.WriteState(ctx, f.pool, f.spec.Schema, f.epoch, register.StateLive)
}

// readPlace returns where the version stands; register.ErrNotRegistered when it is gone.
func (f *follower[T]) readPlace(ctx context.Context) (register.Place, error) {
	return register.ReadPlace(ctx, f.pool, f.spec.Schema, f.epoch)
}

// stands returns where the version stands, and the newest position of its input. A version that is gone, or that has
// failed, has nothing to do.
func (f *follower[T]) stands(ctx context.Context) (position, head int64, err error) {
	place, err := f.readPlace(ctx)
	if err != nil || place.State == register.StateFailed {
		return place.Position, place.Position, err
	}
	head, err = f.source.head(ctx)
	return place.Position, head, err
}

// reach sets the position that the rows reflect.
func (f *follower[T]) reach(position int64) {
	f.position = position
	f.progress.position.Store(position)
	f.metrics.position.WithLabelValues(labels(f.spec.Schema)...).Set(float64(position))
}

func (f *follower[T]) forget() { f.projection.Forget() }

func (f *follower[T]) leads() *group { return f.group }

func (f *follower[T]) reachLeader(ctx context.Context, leader *follower[projections.LogItem]) (bool, error) {
	position, err := leader.position, error(nil)
	if f.group == nil {
		position, err = f.source.head(ctx)
	}
	if err != nil || position-f.position > bulkLag {
		return false, err
	}
	err = f.foldRest(ctx, position)
	return err == nil && f.position == position, err
}

func (f *follower[T]) partOfEvents(ctx context.Context, items []projections.LogItem) (*part, error) {
	own, err := any(f.source).(*logSource).own(ctx, items)
	if err != nil {
		return nil, err
	}
	return partOf(any(f).(*follower[projections.LogItem]), own), nil
}

func (f *follower[T]) partOfSteps(ctx context.Context, leader *follower[projections.LogItem]) (*part, error) {
	steps := slices.Clone(leader.projection.(projections.Leading[T]).Written())
	if len(steps) == 0 {
		return nil, nil
	}
	if err := any(f.source).(*stepSource[T]).load(ctx, steps); err != nil {
		return nil, err
	}
	return partOf(f, steps), nil
}
