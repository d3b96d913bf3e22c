package projections

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
)

// stepChannel is where live followers of steps in other processes are told that there are new ones.
const stepChannel = "strata_step"

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

// Runner keeps the projection chain and those that fold its steps up to date with the log.
type Runner struct {
	pool    *pgxpool.Pool
	logger  *slog.Logger
	metrics *metrics
	decoder *Decoder

	logWake  *eventstore.Wake
	stepWake *eventstore.Wake
	steps    *notifier // of commits of chain, for those that fold its steps
	commits  *notifier // of all commits, for readers

	runs  []func(ctx context.Context)
	specs []Spec
}

// NewRunner prepares to run chain and the projections that fold its steps. Call Run.
func NewRunner(config Config, chain Projection[LogItem], others ...Projection[Step]) *Runner {
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
		pool:     pool,
		logger:   config.Logger,
		metrics:  newMetrics(config.Registry),
		logWake:  eventstore.NewWake(pool, eventstore.Channel, config.Interval, config.Logger),
		stepWake: eventstore.NewWake(pool, stepChannel, config.Interval, config.Logger),
		specs:    append([]Spec{chain.Spec()}, specsOf(others)...),
	}
	for _, spec := range r.specs {
		r.metrics.expect(spec)
	}
	r.decoder = NewDecoder(config.Log, config.DecoderCacheBytes, r.metrics.decoded)
	r.steps, r.commits = newNotifier(pool, stepChannel), newNotifier(pool, Channel)
	committed := func() {
		config.Committed()
		r.commits.notify()
	}
	steps := &stepSource{pool: pool, chain: chain.Spec(), decoder: r.decoder, wake: r.stepWake}
	leader := &follower[LogItem]{
		pool:       pool,
		source:     &logSource{log: config.Log, decoder: r.decoder, wake: r.logWake},
		projection: chain,
		spec:       chain.Spec(),
		logger:     config.Logger,
		metrics:    r.metrics,
		committed: func() {
			r.stepWake.Signal()
			r.steps.notify()
			committed()
		},
		pace: &pace{steps: steps.head},
	}
	r.runs = append(r.runs, leader.run)
	for _, projection := range others {
		source := *steps
		source.records = projection.Spec().Records
		f := &follower[Step]{
			pool:       pool,
			source:     &source,
			projection: projection,
			spec:       projection.Spec(),
			logger:     config.Logger,
			metrics:    r.metrics,
			committed:  committed,
		}
		leader.pace.followers = append(leader.pace.followers, &f.progress)
		r.runs = append(r.runs, f.run)
	}
	return r
}

func specsOf(others []Projection[Step]) []Spec {
	specs := make([]Spec, len(others))
	for i, projection := range others {
		specs[i] = projection.Spec()
	}
	return specs
}

// Register creates what is missing in the database for all projections, so that readers find their tables before
// the first event. Run does it too.
func (r *Runner) Register(ctx context.Context) error {
	for i, spec := range r.specs {
		input := "log"
		if i > 0 {
			input = r.specs[0].Schema()
		}
		if err := register(ctx, r.pool, spec, input); err != nil {
			return err
		}
	}
	return nil
}

// Run follows the log until ctx ends, and returns when all followers have stopped.
func (r *Runner) Run(ctx context.Context) {
	defer r.stepWake.Stop()
	defer r.logWake.Stop()
	for {
		err := r.Register(ctx)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return
		}
		r.logger.LogAttrs(ctx, slog.LevelWarn, "the projections can't be registered; trying again", slog.Any("error", err))
		sleep(ctx, time.Second)
	}
	var group sync.WaitGroup
	group.Go(func() { r.steps.run(ctx) })
	group.Go(func() { r.commits.run(ctx) })
	group.Go(func() { r.measureLag(ctx) })
	for _, run := range r.runs {
		group.Go(func() { run(ctx) })
	}
	group.Wait()
}

// measureLag keeps the gauges of lag true also while nothing happens.
func (r *Runner) measureLag(ctx context.Context) {
	for ctx.Err() == nil {
		statuses, err := Statuses(ctx, r.pool)
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
