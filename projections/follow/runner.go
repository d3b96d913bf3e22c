package follow

import (
	"context"
	"crypto/rand"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/commit"
	"strata/eventstore"
	"strata/internal/pause"
	"strata/projections"
	"strata/projections/decode"
	"strata/projections/follow/internal/lead"
	"strata/projections/internal/register"
	"strata/projections/version"
)

// Channel is the channel on which readers of the tables are notified that a projection has committed.
const Channel = register.CommitChannel

// Config of a Runner.
type Config struct {
	Log    *eventstore.Log
	Logger *slog.Logger
	// Registry for metrics; nil for none.
	Registry prometheus.Registerer
	// Interval at which followers look for new events that no notification told them of, and for whether a failed version was resumed;
	// default 1 s. For what hardly ever changes without a notification, they look rarely.
	Interval time.Duration
	// Committed, if set, is called after each commit of a projection, for readers in this process. Readers in other
	// processes are notified through the database, which takes some milliseconds. It must not block.
	Committed func()
	// Feed, if set, gets what transactions at the tip have changed. Committed is not called for these.
	Feed *commit.Feed
	// DecoderCacheBytes bounds the bodies whose decoded blocks are cached; default decode.CacheBytesDefault.
	DecoderCacheBytes int64
	// BuildNew registers versions for rules that the database has no tables of, so that they are built beside the
	// active ones. Without it, such versions are registered on command only. version.Renewal makes them active.
	BuildNew bool
	// Tight, if set, reports that the disk has little space: followers that are far behind wait while it has.
	Tight func() bool
	// Room, if set, returns how much space there is for versions that BuildNew builds. Those that need more are built once
	// there is enough.
	Room version.Room
	// LeaderPatience is how long a process that leads a projection may make no progress, although something waits and the
	// database does not work for it, before another process takes the lead; default 30 s.
	LeaderPatience time.Duration
}

// Runner keeps projections up to date with the log: all versions of their tables that have the rules of this program.
type Runner struct {
	// TestSignals are for tests.
	TestSignals TestSignals

	config Config
	engine engine
	lines  projections.Lines
	typed  []line

	postponed atomic.Pointer[string] // why new versions are not built

	stepNotifiers  map[string]*notifier // by leader, for followers of its steps in other processes
	commitNotifier *notifier            // of all commits, for readers in other processes
}

// NewRunner prepares to run the projections of some lines. Call Run.
func NewRunner(config Config, lines ...projections.Line) *Runner {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Registry == nil {
		config.Registry = prometheus.NewRegistry()
	}
	if config.Committed == nil {
		config.Committed = func() {}
	}
	if config.Interval == 0 {
		config.Interval = time.Second
	}
	pool := config.Log.Pool()
	r := &Runner{
		config: config, lines: lines, typed: newLines(lines),
		stepNotifiers: map[string]*notifier{}, commitNotifier: newNotifier(pool, Channel),
	}
	r.engine = engine{log: config.Log, pool: pool, logger: config.Logger, metrics: newMetrics(config.Registry), signals: &r.TestSignals, turns: newTurns()}
	r.engine.tight, r.engine.tracer = config.Tight, config.Log.Tracer()
	r.engine.origin = rand.Text()
	r.engine.publish = func([]commit.Move) { config.Committed() }
	if config.Feed != nil {
		r.engine.publish = config.Feed.Publish
	}
	r.engine.leadership = lead.New(pool, config.Logger, config.LeaderPatience, config.Tight)
	r.engine.decoder = decode.New(config.Log, config.DecoderCacheBytes, r.engine.metrics.decoded)
	config.Log.OnArrival(r.engine.decoder.Ahead(config.Registry))
	r.engine.listen(r.typed, config.Interval)
	for _, d := range r.lines.Definitions() {
		r.engine.metrics.expect(d.Spec.Schema)
		if d.Leader == "" {
			r.stepNotifiers[d.Spec.Name] = newNotifier(pool, stepChannel(d.Spec.Name))
		}
	}
	return r
}

// committed tells readers that rows have changed.
func (r *Runner) committed() {
	r.config.Committed()
	r.commitNotifier.notify()
}

// committedSteps also tells the followers of a leader's steps.
func (r *Runner) committedSteps(leader string) {
	r.engine.stepWakes[leader].Signal()
	r.stepNotifiers[leader].notify()
	r.committed()
}

// Origin returns the payload of the notifications of this runner's commits at the tip. A listener in the same process,
// which Config.Feed or Config.Committed tells, may ignore them.
func (r *Runner) Origin() string { return r.engine.origin }

// Register creates what is missing in the database for all projections, so that readers find their tables before the
// first event comes. Run does it too.
func (r *Runner) Register(ctx context.Context) error {
	postponed, err := version.Register(ctx, r.engine.pool, r.lines, r.config.BuildNew, r.config.Room)
	if err != nil {
		return err
	}
	reason := strings.Join(postponed, "; ")
	if before := r.postponed.Swap(&reason); reason != "" && (before == nil || *before == "") {
		r.config.Logger.LogAttrs(ctx, slog.LevelWarn, "new versions of read tables wait for space on the disk", slog.String("reason", reason))
	}
	return nil
}

// Postponed returns why new versions are not built; empty if none waits.
func (r *Runner) Postponed() string {
	if reason := r.postponed.Load(); reason != nil {
		return *reason
	}
	return ""
}

// postponedInterval is how often a runner looks whether there is room for versions that it has not begun to build.
const postponedInterval = time.Minute

// buildPostponed registers the versions that wait for space once there is enough.
func (r *Runner) buildPostponed(ctx context.Context) {
	for ctx.Err() == nil && r.Postponed() != "" {
		pause.For(ctx, postponedInterval)
		if err := r.Register(ctx); err != nil && ctx.Err() == nil {
			r.config.Logger.LogAttrs(ctx, slog.LevelWarn, "projections can't be registered; trying again", slog.Any("error", err))
		}
	}
}

// Run follows the log until ctx ends, and returns when all followers have stopped.
func (r *Runner) Run(ctx context.Context) {
	defer r.engine.close()
	for {
		err := r.Register(ctx)
		if err == nil && r.engine.tip == nil {
			err = r.engine.connect(ctx)
		}
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return
		}
		r.config.Logger.LogAttrs(ctx, slog.LevelWarn, "projections can't be registered; trying again", slog.Any("error", err))
		pause.For(ctx, time.Second)
	}
	var group sync.WaitGroup
	for _, leader := range slices.Sorted(maps.Keys(r.stepNotifiers)) { // in the same order each time, for simulations
		group.Go(func() { r.stepNotifiers[leader].run(ctx) })
	}
	group.Go(func() { r.commitNotifier.run(ctx) })
	group.Go(func() { r.measureLag(ctx) })
	group.Go(func() { newKeeper(r).run(ctx) })
	group.Go(func() { r.buildPostponed(ctx) })
	group.Wait()
}

// lagInterval is how often the gauges of lag are updated.
const lagInterval = 5 * time.Second

// measureLag updates the gauges of lag also while nothing happens.
func (r *Runner) measureLag(ctx context.Context) {
	known := map[projections.Schema]bool{}
	m := r.engine.metrics
	for ctx.Err() == nil {
		statuses, err := version.StatusesWithoutSizes(ctx, r.engine.pool)
		if err == nil {
			current := map[projections.Schema]bool{}
			for _, s := range statuses {
				current[s.Schema()] = true
				m.measured(s)
			}
			for v := range known {
				if !current[v] {
					m.forget(v)
				}
			}
			known = current
		}
		pause.For(ctx, lagInterval)
	}
}
