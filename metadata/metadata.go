package metadata

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"golang.org/x/sync/errgroup"

	"strata/internal/pause"
	"strata/internal/testsignal"
	"strata/metadata/internal/jobqueue"
	"strata/metadata/internal/noderead"
	"strata/metadata/internal/rotation"
)

// Metadata is the role that fetches what projections want from outside. Any number of processes may run it on the same
// database.
type Metadata struct {
	config  Config
	urls    []*url.URL
	metrics *metrics
	signals signals
}

// signals tell tests what the role has done.
type signals struct {
	pass testsignal.Signal // the dispatcher has made a complete pass over all wants
	lost testsignal.Signal // a worker has dropped its report because its job was given to another worker
}

// New checks the configuration and returns the role. It does nothing else until Run.
func New(config Config) (*Metadata, error) {
	config = config.withDefaults()
	if err := config.validate(); err != nil {
		return nil, err
	}
	m := &Metadata{config: config, metrics: newMetrics(config.Registry)}
	for _, raw := range config.Nodes {
		u, err := parseNode(raw)
		if err != nil {
			return nil, err
		}
		m.urls = append(m.urls, u)
	}
	return m, nil
}

// retention is how long River remembers a finished job, and so how long the same revision can't be dispatched again.
const retention = time.Hour

// fetchCooldown is the minimum time between two reads of the job queue by this process.
const fetchCooldown = 20 * time.Millisecond

// Run fetches until ctx is done, and returns when everything has stopped. Requests in progress may then go on for
// Config.Grace; another process repeats those whose results are not recorded by then. While the database is
// unreachable, Run waits. It returns an error if the job queue can't be set up for another reason.
func (m *Metadata) Run(ctx context.Context) error {
	nodes := rotation.New(m.urls, m.config.Logger)
	recorder := newRecorder(m.config.Log, m.config, m.metrics)
	loader := newLoader(m.config.Log.Pool())
	client, err := m.newClient(nodes, loader, recorder)
	if err != nil {
		return err
	}
	started, err := m.whenReachable(ctx, func() error {
		if err := jobqueue.Migrate(ctx, m.config.Log.Pool(), m.config.Logger); err != nil {
			return err
		}
		return client.Start(ctx)
	})
	if !started {
		return err
	}
	noWorkers := make(chan struct{})
	var group errgroup.Group
	group.Go(func() error { loader.run(noWorkers); return nil })
	group.Go(func() error { recorder.run(noWorkers); return nil })
	group.Go(func() error {
		d := &dispatcher{
			config: m.config, client: client, nodes: nodes, metrics: m.metrics, memory: dispatchMemory{}, pass: &m.signals.pass,
		}
		d.run(ctx)
		return nil
	})
	<-client.Stopped()
	close(noWorkers)
	return group.Wait()
}

func (m *Metadata) newClient(nodes *rotation.Nodes, loader *loader, recorder *recorder) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{
		config: m.config, slots: jobqueue.NewSlots(m.config.slots()),
		reader: noderead.New(noderead.Config{Nodes: nodes, Timeout: m.config.NodeTimeout, Connections: m.config.Concurrency, Attachments: attachmentsPerSecond}),
		loader: loader, recorder: recorder, metrics: m.metrics, lost: &m.signals.lost,
	})
	queues := map[string]river.QueueConfig{}
	for _, l := range m.config.lanes() {
		queues[l.queue()] = river.QueueConfig{MaxWorkers: m.config.workers(l)}
	}
	client, err := river.NewClient(riverpgxv5.New(m.config.Log.Pool()), &river.Config{
		Schema:                      jobqueue.Schema,
		Logger:                      jobqueue.Logger(m.config.Logger),
		Queues:                      queues,
		Workers:                     workers,
		FetchCooldown:               fetchCooldown,
		JobTimeout:                  m.config.jobTimeout(),
		RescueStuckJobsAfter:        m.config.RescueAfter,
		SoftStopTimeout:             m.config.Grace,
		CompletedJobRetentionPeriod: retention,
		CancelledJobRetentionPeriod: retention,
		DiscardedJobRetentionPeriod: retention,
	})
	if err != nil {
		return nil, fmt.Errorf("set up the job queue: %w", err)
	}
	return client, nil
}

// whenReachable calls do, again and again while the database is unreachable. done is false if ctx ended first, or with
// err.
func (m *Metadata) whenReachable(ctx context.Context, do func() error) (done bool, err error) {
	logged := false
	for {
		err := do()
		switch {
		case err == nil:
			return true, nil
		case ctx.Err() != nil:
			return false, nil
		case !unreachable(err):
			return false, err
		case !logged:
			logged = true
			m.config.Logger.LogAttrs(ctx, slog.LevelWarn, "metadata waits for the database", slog.Any("error", err))
		}
		pause.For(ctx, pauseFailed)
	}
}

// unreachable reports whether an error may be temporary: every error but those with which the server refuses a
// statement.
func unreachable(err error) bool {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return true
	}
	switch refused.Code[:2] {
	case "08", // connection exception
		"40", // transaction rollback: deadlock
		"53", // insufficient resources: too many connections
		"57", // operator intervention: shutdown, cannot connect now
		"58": // system error outside Postgres
		return true
	}
	return refused.Code == "25006" // read-only transaction: a standby not promoted yet
}
