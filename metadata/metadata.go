package metadata

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/semaphore"

	"strata/internal/dberror"
	"strata/internal/pause"
	"strata/internal/testsignal"
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
	lost testsignal.Signal // a worker has dropped its report because its want was given to another worker
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

// Run fetches until ctx is done, and returns when everything has stopped. Requests in progress may then go on for
// Config.Grace; another process repeats those whose results are not recorded by then. While the database is
// unreachable, Run waits. It returns an error if the tables can't be created for another reason.
func (m *Metadata) Run(ctx context.Context) error {
	pool := m.config.Log.Pool()
	if done, err := m.whenReachable(ctx, func() error { return createTables(ctx, pool) }); !done {
		return err
	}
	nodes := rotation.New(m.urls, m.config.Logger)
	recorder := newRecorder(m.config, m.metrics)
	d := &dispatcher{
		config: m.config, pool: pool, nodes: nodes, metrics: m.metrics, busy: map[lane]*atomic.Int64{}, pass: &m.signals.pass,
		worker: &worker{
			config: m.config, slots: map[lane]*semaphore.Weighted{}, recorder: recorder, metrics: m.metrics, lost: &m.signals.lost,
			reader: noderead.New(noderead.Config{Nodes: nodes, Timeout: m.config.NodeTimeout, Connections: m.config.Concurrency, Attachments: attachmentsPerSecond}),
		},
	}
	for _, l := range m.config.lanes() {
		d.busy[l] = &atomic.Int64{}
		d.worker.slots[l] = semaphore.NewWeighted(int64(m.config.concurrency(l)))
	}
	noWorkers := make(chan struct{})
	var recording sync.WaitGroup
	recording.Go(func() { recorder.run(noWorkers) })
	d.run(ctx)
	close(noWorkers)
	recording.Wait()
	return nil
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
		case errors.As(err, new(*pgconn.PgError)) && !dberror.Passing(err): // the server refuses what it was asked
			return false, err
		case !logged:
			logged = true
			m.config.Logger.LogAttrs(ctx, slog.LevelWarn, "metadata waits for the database", slog.Any("error", err))
		}
		pause.For(ctx, pauseFailed)
	}
}
