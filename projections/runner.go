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
}

// Runner keeps projections up to date with the log.
type Runner struct {
	config  Config
	metrics *metrics
	decoder *Decoder
	lines   []Line

	logWake   *eventstore.Wake
	wakes     []*eventstore.Wake // of steps
	notifiers []*notifier        // of commits of leaders, for those that fold their steps
	commits   *notifier          // of all commits, for readers

	runs []func(ctx context.Context)
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
	pool := config.Log.Pool()
	r := &Runner{
		config:  config,
		metrics: newMetrics(config.Registry),
		lines:   lines,
		logWake: eventstore.NewWake(pool, eventstore.Channel, config.Interval, config.Logger),
		commits: newNotifier(pool, Channel),
	}
	r.decoder = NewDecoder(config.Log, config.DecoderCacheBytes, r.metrics.decoded)
	for _, line := range lines {
		for _, spec := range line.specs {
			r.metrics.expect(spec)
		}
		line.attach(r)
	}
	return r
}

// committed tells readers that rows have changed.
func (r *Runner) committed() {
	r.config.Committed()
	r.commits.notify()
}

// Register creates what is missing in the database for all projections, so that readers find their tables before
// the first event. Run does it too.
func (r *Runner) Register(ctx context.Context) error {
	for _, line := range r.lines {
		for i, spec := range line.specs {
			input := "log"
			if i > 0 {
				input = line.specs[0].Schema()
			}
			if err := register(ctx, r.config.Log.Pool(), spec, input); err != nil {
				return err
			}
		}
	}
	return nil
}

// Run follows the log until ctx ends, and returns when all followers have stopped.
func (r *Runner) Run(ctx context.Context) {
	defer func() {
		for _, wake := range append(r.wakes, r.logWake) {
			wake.Stop()
		}
	}()
	for {
		err := r.Register(ctx)
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
	for _, notifier := range append(r.notifiers, r.commits) {
		group.Go(func() { notifier.run(ctx) })
	}
	group.Go(func() { r.measureLag(ctx) })
	for _, run := range r.runs {
		group.Go(func() { run(ctx) })
	}
	group.Wait()
}

// measureLag keeps the gauges of lag true also while nothing happens.
func (r *Runner) measureLag(ctx context.Context) {
	for ctx.Err() == nil {
		statuses, err := Statuses(ctx, r.config.Log.Pool())
		if err == nil {
			for _, s := range statuses {
				r.metrics.lag.WithLabelValues(s.Name).Set(float64(s.Lag()))
				r.metrics.lagSeconds.WithLabelValues(s.Name).Set(s.LagSeconds)
				r.metrics.quarantined.WithLabelValues(s.Name).Set(float64(s.Quarantined))
			}
		}
		sleep(ctx, 5*time.Second)
	}
}
