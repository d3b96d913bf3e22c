package projections

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
)

// Channel is where readers of the tables are told that a projection has committed.
const Channel = "strata_projection"

// Config of a Runner.
type Config struct {
	Log    *eventstore.Log
	Logger *slog.Logger
	// Registry for metrics; nil for none.
	Registry prometheus.Registerer
	// Interval at which followers look for new events without being told; default 1 s.
	Interval time.Duration
	// Committed, if any, is called after each commit of a projection, for readers in this process: those elsewhere
	// are notified through the database, which takes some milliseconds. It must not block.
	Committed func()
	// DecoderCacheBytes bounds the bodies whose decoded blocks are kept; default DecoderCacheBytesDefault.
	DecoderCacheBytes int64
	// BuildNew registers rules that the database has no tables of, so that these are built beside the active ones, which
	// they replace on command only. Without it they are built on command.
	BuildNew bool
}

// Runner keeps projections up to date with the log: all versions of their tables that have the rules of this program.
type Runner struct {
	config Config
	engine engine
	lines  Lines

	stepped map[string]*notifier // of commits of leaders, by name, for those that fold their steps
	commits *notifier            // of all commits, for readers
}

// NewRunner prepares to run the projections of some lines. Call Run.
func NewRunner(config Config, lines ...Line) *Runner {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Registry == nil {
		config.Registry = prometheus.NewRegistry()
	}
	if config.Committed == nil {
		config.Committed = func() {}
	}
	r := &Runner{config: config, lines: lines, stepped: map[string]*notifier{}, commits: newNotifier(config.Log.Pool(), Channel)}
	r.engine = engine{log: config.Log, pool: config.Log.Pool(), logger: config.Logger, metrics: newMetrics(config.Registry)}
	r.engine.decoder = NewDecoder(config.Log, config.DecoderCacheBytes, r.engine.metrics.decoded)
	r.engine.listen(lines, config.Interval)
	for _, d := range r.lines.Definitions() {
		r.engine.metrics.expect(d.Spec)
		if d.Leader == "" {
			r.stepped[d.Spec.Name] = newNotifier(r.engine.pool, stepChannel(d.Spec.Name))
		}
	}
	return r
}

// committed tells readers that rows have changed.
func (r *Runner) committed() {
	r.config.Committed()
	r.commits.notify()
}

// committedSteps tells those that fold the steps of a leader, too.
func (r *Runner) committedSteps(leader string) {
	r.engine.stepWake(leader).Signal()
	r.stepped[leader].notify()
	r.committed()
}

// Register creates what is missing in the database for all projections, so that readers find their tables before
// the first event. Run does it too.
func (r *Runner) Register(ctx context.Context) error {
	return r.lines.register(ctx, r.engine.pool, r.config.BuildNew)
}

// Run follows the log until ctx ends, and returns when all followers have stopped.
func (r *Runner) Run(ctx context.Context) {
	defer r.engine.deafen()
	for {
		err := r.Register(ctx)
		if err == nil && r.engine.readers == nil {
			err = r.engine.connect(ctx, len(r.lines.Definitions()))
		}
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return
		}
		r.config.Logger.LogAttrs(ctx, slog.LevelWarn, "the projections can't be registered; trying again", slog.Any("error", err))
		sleep(ctx, time.Second)
	}
	var group sync.WaitGroup
	for _, notifier := range r.stepped {
		group.Go(func() { notifier.run(ctx) })
	}
	group.Go(func() { r.commits.run(ctx) })
	group.Go(func() { r.measureLag(ctx) })
	group.Go(func() { newKeeper(r).run(ctx) })
	group.Wait()
}

// measureLag keeps the gauges of lag true also while nothing happens.
func (r *Runner) measureLag(ctx context.Context) {
	known := map[Instance]bool{}
	m := r.engine.metrics
	for ctx.Err() == nil {
		statuses, err := readStatuses(ctx, r.engine.pool)
		if err == nil {
			there := map[Instance]bool{}
			for _, s := range statuses {
				spec := Spec{Name: s.Name, Version: s.Version}
				there[spec.instance()] = true
				m.lag.WithLabelValues(spec.labels()...).Set(float64(s.Lag()))
				m.lagSeconds.WithLabelValues(spec.labels()...).Set(s.LagSeconds)
				m.quarantined.WithLabelValues(spec.labels()...).Set(float64(s.Quarantined))
			}
			for i := range known {
				if !there[i] {
					m.forget(Spec{Name: i.Name, Version: i.Version})
				}
			}
			known = there
		}
		sleep(ctx, 5*time.Second)
	}
}
