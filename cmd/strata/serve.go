package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/gcfloor"
	"strata/eventstore"
	"strata/eventstore/observer"
	"strata/projections/follow"
)

// Roles that a process can take.
const (
	roleObserver  = "observer"
	roleProjector = "projector"
	roleMetadata  = "metadata"
	roleAPI       = "api"
)

// heapFloor is how large the heap may grow, in bytes, before it is collected.
const heapFloor = 128 << 20

type serveCommand struct {
	databaseFlags   `embed:"" group:"Database:"`
	nodeFlags       `embed:"" group:"Nodes:"`
	metadataFlags   `embed:"" group:"Token metadata:"`
	runnerFlags     `embed:"" group:"Projections:"`
	auditFlags      `embed:"" group:"Audit:"`
	adminFlags      `embed:"" group:"Administration:"`
	DatabaseReadURL string `group:"Database:" env:"STRATA_DATABASE_READ_URL" placeholder:"URL" help:"Replica that the API reads from; empty: the same database."`

	APIAddr            string        `name:"api-addr" default:"127.0.0.1:3999" env:"STRATA_API_ADDR" help:"Address of the API."`
	ObserverAddr       string        `default:"127.0.0.1:3700" env:"STRATA_OBSERVER_ADDR" help:"Address that nodes post events to. It has no authentication: let only nodes reach it."`
	MetricsAddr        string        `env:"STRATA_METRICS_ADDR" placeholder:"ADDRESS" help:"Address of /metrics and /healthz, for a process that does not serve the API, which has both."`
	Network            string        `default:"mainnet" enum:"mainnet,testnet" env:"STRATA_NETWORK" help:"Network that the nodes are on: mainnet or testnet."`
	Roles              []string      `default:"observer,projector,metadata,api" enum:"observer,projector,metadata,api" env:"STRATA_ROLES" placeholder:"ROLE,..." help:"What this process does, any of observer, projector, metadata and api; default all."`
	OrdhookToken       string        `env:"STRATA_ORDHOOK_TOKEN" placeholder:"TOKEN" help:"Bearer token that the ordinals feed must show; empty: none."`
	OrdinalsTxIDPrefix bool          `name:"ordinals-tx-id-prefix" default:"true" negatable:"" env:"STRATA_ORDINALS_TX_ID_PREFIX" help:"Write tx_id of inscriptions with 0x in front; ordinals-api has it without."`
	ForkChoice         string        `default:"recommended" enum:"recommended,reference" env:"STRATA_FORK_CHOICE" help:"How the canonical chain is chosen: recommended (as nodes do) or reference (as stacks-blockchain-api does)."`
	BodyLimit          int64         `default:"536870912" env:"STRATA_BODY_LIMIT" help:"Largest event in bytes."`
	BodyMemory         int64         `default:"67108864" env:"STRATA_BODY_MEMORY" help:"Memory in bytes that all events being received may hold together; larger ones go through files."`
	CacheMemory        int64         `default:"67108864" env:"STRATA_CACHE_MEMORY" help:"Memory in bytes for answers that are kept."`
	MaxStreams         int           `default:"20000" env:"STRATA_MAX_STREAMS" help:"Connections that may follow what happens; see docs/live.md."`
	RedisURL           string        `env:"STRATA_REDIS_URL" placeholder:"URL" help:"Redis where processes share their answers; empty: each keeps its own."`
	RedisPrefix        string        `default:"strata:" env:"STRATA_REDIS_PREFIX" help:"What all keys in Redis begin with."`
	LagLimit           int64         `default:"1000" env:"STRATA_LAG_LIMIT" help:"Events that a projection may be behind before /readyz says no."`
	ShutdownGrace      time.Duration `default:"30s" env:"STRATA_SHUTDOWN_GRACE" help:"How long running requests may take when the program is told to stop."`
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, globals *Globals) error {
	return c.serve(ctx, globals.logger(), func(string, string) {})
}

// serve serves until ctx ends. ready is told the addresses of the API and of the observer, empty without the role.
func (c *serveCommand) serve(ctx context.Context, logger *slog.Logger, ready func(api, observer string)) error {
	if err := c.parseNodes(); err != nil {
		return err
	}
	gcfloor.Keep(heapFloor)
	// Listening comes first, so that an address that is taken is found before anything else is begun.
	listening, err := c.listen(ctx, logger)
	if err != nil {
		return err
	}
	defer listening.close()
	db, err := c.open(ctx, logger)
	if err != nil {
		if ctx.Err() != nil {
			return nil // told to stop before it was ready
		}
		return err
	}
	defer db.close(logger)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	ctx, stop := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	// What was begun before an error ends before the database is closed.
	defer func() {
		stop()
		_ = group.Wait()
	}()
	changes := eventstore.NewWake(db.pool, follow.Channel, 0, logger) // of the tables, for the API
	defer changes.Stop()
	images, err := c.imageStore()
	if err != nil {
		return err
	}
	if c.has(roleProjector) {
		if err := c.project(ctx, group, db, changes.Signal, logger, registry); err != nil {
			return err
		}
	}
	if listening.observer != nil {
		if err := c.observe(ctx, group, listening.observer, db, logger, registry); err != nil {
			return err
		}
	}
	if c.has(roleMetadata) {
		if err := c.fetch(ctx, group, db, images, logger, registry); err != nil {
			return err
		}
	}
	if listening.metrics != nil {
		watch(ctx, group, listening.metrics, logger, registry)
	}
	lines, err := c.programLines(logger)
	if err != nil {
		return err
	}
	var reads http.Handler
	if listening.api != nil {
		if reads, err = c.answer(ctx, group, listening.api, db, lines.Rules(), images, changes.C, logger, registry); err != nil {
			return err
		}
	}
	if listening.admin != nil {
		if err := c.administer(ctx, group, listening.admin, db, lines, reads, logger); err != nil {
			return err
		}
	}
	ready(address(listening.api), address(listening.observer))
	<-ctx.Done()
	return group.Wait()
}

// listeners of the roles that have one.
type listeners struct{ api, observer, metrics, admin net.Listener }

func (c *serveCommand) listen(ctx context.Context, logger *slog.Logger) (l listeners, err error) {
	if c.has(roleObserver) {
		if l.observer, err = net.Listen("tcp", c.ObserverAddr); err != nil {
			return l, fmt.Errorf("observer: %w (--observer-addr chooses another address)", err)
		}
	}
	if c.has(roleAPI) {
		if l.api, err = net.Listen("tcp", c.APIAddr); err != nil {
			l.close()
			return l, fmt.Errorf("API: %w (--api-addr chooses another address)", err)
		}
	}
	if c.MetricsAddr != "" {
		if l.metrics, err = net.Listen("tcp", c.MetricsAddr); err != nil {
			l.close()
			return l, fmt.Errorf("metrics: %w (--metrics-addr chooses another address)", err)
		}
	}
	if l.admin, err = c.adminFlags.listen(ctx, logger); err != nil {
		l.close()
		return l, err
	}
	return l, nil
}

// close closes what no server has closed yet.
func (l listeners) close() {
	for _, listener := range []net.Listener{l.api, l.observer, l.metrics, l.admin} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}

func address(listener net.Listener) string {
	if listener == nil {
		return ""
	}
	return listener.Addr().String()
}

func (c *serveCommand) project(ctx context.Context, group *errgroup.Group, db *database, committed func(), logger *slog.Logger, registry prometheus.Registerer) error {
	runner, err := newRunner(db.log, c.ForkChoice, c.BuildNewVersions, committed, logger, registry)
	if err != nil {
		return err
	}
	if err := runner.Register(ctx); err != nil {
		return err
	}
	group.Go(func() error {
		runner.Run(ctx)
		return nil
	})
	signer, err := c.openLog(ctx, db.pool, nil, c.DataDir, true, logger)
	if err != nil {
		return err
	}
	signer.Instrument(registry)
	group.Go(func() error {
		signer.Run(ctx)
		return nil
	})
	return nil
}

func (c *serveCommand) observe(ctx context.Context, group *errgroup.Group, listener net.Listener, db *database, logger *slog.Logger, registry prometheus.Registerer) error {
	spoolDir := filepath.Join(c.DataDir, "spool")
	if err := os.MkdirAll(spoolDir, 0o700); err != nil {
		return fmt.Errorf("make the folder for large bodies: %w", err)
	}
	server := observer.New(observer.Config{
		Log:             db.log,
		Spool:           eventstore.NewSpool(eventstore.SpoolConfig{Dir: spoolDir, Limit: c.BodyLimit, Memory: c.BodyMemory}),
		Logger:          logger,
		Registry:        registry,
		OrdhookToken:    c.OrdhookToken,
		ShutdownTimeout: c.ShutdownGrace,
	})
	logger.LogAttrs(ctx, slog.LevelInfo, "receiving events", slog.String("url", "http://"+address(listener)))
	group.Go(func() error { return server.Serve(ctx, listener) })
	return nil
}
