package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"strata/eventstore"
	"strata/eventstore/observer"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/readapi"
)

// Roles that a process can take.
const (
	roleObserver  = "observer"
	roleProjector = "projector"
	roleMetadata  = "metadata"
	roleAPI       = "api"
)

type serveCommand struct {
	databaseFlags

	APIAddr       string        `name:"api-addr" default:"127.0.0.1:3999" env:"STRATA_API_ADDR" help:"Address of the API."`
	ObserverAddr  string        `default:"127.0.0.1:3700" env:"STRATA_OBSERVER_ADDR" help:"Address that nodes post events to."`
	Roles         []string      `default:"observer,projector,metadata,api" enum:"observer,projector,metadata,api" env:"STRATA_ROLES" help:"What this process does."`
	Network       string        `default:"mainnet" enum:"mainnet,testnet" env:"STRATA_NETWORK" help:"Network: mainnet or testnet."`
	OrdhookToken  string        `env:"STRATA_ORDHOOK_TOKEN" placeholder:"TOKEN" help:"Bearer token that the ordinals feed must show; empty: none."`
	ForkChoice    string        `default:"recommended" enum:"recommended,reference" env:"STRATA_FORK_CHOICE" help:"How the canonical chain is chosen: recommended (as nodes do) or reference (as stacks-blockchain-api does)."`
	BodyLimit     int64         `default:"536870912" env:"STRATA_BODY_LIMIT" help:"Largest event in bytes."`
	BodyMemory    int64         `default:"67108864" env:"STRATA_BODY_MEMORY" help:"Memory in bytes that all events being received may hold together; larger ones go through files."`
	LagLimit      int64         `default:"1000" env:"STRATA_LAG_LIMIT" help:"Events that a projection may be behind before /readyz says no."`
	ShutdownGrace time.Duration `default:"30s" env:"STRATA_SHUTDOWN_GRACE" help:"How long running requests may take when the program is told to stop."`
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, globals *Globals) error {
	return c.serve(ctx, globals.logger(), func(string, string) {})
}

// serve serves until ctx ends. ready is told the addresses of the API and of the observer, empty without the role.
func (c *serveCommand) serve(ctx context.Context, logger *slog.Logger, ready func(api, observer string)) error {
	db, err := c.open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.close(logger)

	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	group, ctx := errgroup.WithContext(ctx)
	runner, err := newRunner(db.log, c.ForkChoice, logger, registry)
	if err != nil {
		return err
	}
	if slices.Contains(c.Roles, roleProjector) {
		if err := runner.Register(ctx); err != nil {
			return err
		}
		group.Go(func() error {
			runner.Run(ctx)
			return nil
		})
	}
	var apiAddr, observerAddr string
	if slices.Contains(c.Roles, roleObserver) {
		if observerAddr, err = c.observe(ctx, group, db, logger, registry); err != nil {
			return err
		}
	}
	if slices.Contains(c.Roles, roleAPI) {
		if apiAddr, err = c.answer(ctx, group, db, logger, registry); err != nil {
			return err
		}
	}
	ready(apiAddr, observerAddr)
	return group.Wait()
}

func newRunner(log *eventstore.Log, forkChoice string, logger *slog.Logger, registry prometheus.Registerer) (*projections.Runner, error) {
	canonical, err := chain.New(chain.Rule(forkChoice), logger)
	if err != nil {
		return nil, err
	}
	return projections.NewRunner(projections.Config{Log: log, Logger: logger, Registry: registry}, canonical, balances.New(logger)), nil
}

func (c *serveCommand) observe(ctx context.Context, group *errgroup.Group, db *database, logger *slog.Logger, registry prometheus.Registerer) (address string, err error) {
	spoolDir := filepath.Join(c.DataDir, "spool")
	if err := os.MkdirAll(spoolDir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder for large bodies: %w", err)
	}
	listener, err := net.Listen("tcp", c.ObserverAddr)
	if err != nil {
		return "", fmt.Errorf("observer: %w", err)
	}
	server := observer.New(observer.Config{
		Log:             db.log,
		Spool:           eventstore.NewSpool(eventstore.SpoolConfig{Dir: spoolDir, Limit: c.BodyLimit, Memory: c.BodyMemory}),
		Logger:          logger,
		Registry:        registry,
		OrdhookToken:    c.OrdhookToken,
		ShutdownTimeout: c.ShutdownGrace,
	})
	logger.LogAttrs(ctx, slog.LevelInfo, "receiving events", slog.String("address", listener.Addr().String()))
	group.Go(func() error { return server.Serve(ctx, listener) })
	return listener.Addr().String(), nil
}

func (c *serveCommand) answer(ctx context.Context, group *errgroup.Group, db *database, logger *slog.Logger, registry *prometheus.Registry) (address string, err error) {
	listener, err := net.Listen("tcp", c.APIAddr)
	if err != nil {
		return "", fmt.Errorf("API: %w", err)
	}
	server := &http.Server{
		Handler: readapi.New(readapi.Config{
			Pool: db.read, Logger: logger, Registry: registry, Version: build(), LagLimit: c.LagLimit, Network: c.Network,
		}),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "answering", slog.String("address", listener.Addr().String()))
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("API: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), c.ShutdownGrace)
		defer cancel()
		return server.Shutdown(grace)
	})
	return listener.Addr().String(), nil
}
