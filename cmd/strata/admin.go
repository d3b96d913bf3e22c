package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/projections"
	"strata/projections/admin"
)

// adminFlags say where versions of read tables are switched over HTTP.
type adminFlags struct {
	AdminAddr  string `default:"127.0.0.1:3998" env:"STRATA_ADMIN_ADDR" placeholder:"ADDRESS" help:"Address for administration: versions of read tables are built, switched and dropped here, and read beside the active ones; empty: none. One that other machines reach needs a token."`
	AdminToken string `env:"STRATA_ADMIN_TOKEN" placeholder:"TOKEN" help:"Bearer token that requests for administration must show; empty: none."`
}

// adminAddrDefault is where nobody has chosen an address.
const adminAddrDefault = "127.0.0.1:3998"

// listen listens for administration; nil for nobody. Several processes may run on a machine: who has not chosen the address that
// another one listens on goes without.
func (f *adminFlags) listen(ctx context.Context, logger *slog.Logger) (net.Listener, error) {
	if f.AdminAddr == "" {
		return nil, nil
	}
	if _, err := admin.CheckAddress(f.AdminAddr, f.AdminToken); err != nil {
		return nil, fmt.Errorf("--admin-addr, --admin-token: %w", err)
	}
	listener, err := net.Listen("tcp", f.AdminAddr)
	switch {
	case err == nil:
		return listener, nil
	case f.AdminAddr == adminAddrDefault:
		logger.LogAttrs(ctx, slog.LevelWarn, "no administration over HTTP here: another process has its address, and --admin-addr chooses one", slog.Any("error", err))
		return nil, nil
	}
	return nil, fmt.Errorf("administration: %w (--admin-addr chooses another address)", err)
}

// administer serves the API for administration, with reads if this process answers any.
func (c *serveCommand) administer(ctx context.Context, group *errgroup.Group, listener net.Listener, db *database, lines projections.Lines, reads http.Handler, logger *slog.Logger) error {
	loopback, err := admin.CheckAddress(address(listener), c.AdminToken)
	if err != nil {
		return fmt.Errorf("--admin-addr, --admin-token: %w", err)
	}
	config := admin.Config{
		Pool: db.pool, Lines: lines, DataDir: db.dataDir(c.DataDir), Token: c.AdminToken, Loopback: loopback,
		Reads: reads, Version: build().Tag, Logger: logger,
	}
	url := "http://" + address(listener)
	logger.LogAttrs(ctx, slog.LevelInfo, "serving administration", slog.String("url", url), slog.String("description", url+"/openapi.json"))
	group.Go(func() error {
		return serveHTTP(ctx, "administration", httpServer(admin.New(config), logger), listener, c.ShutdownGrace, logger)
	})
	return nil
}

// programLines has the code of all projections for who asks what it is, and runs none of it.
func (c *serveCommand) programLines(logger *slog.Logger) (projections.Lines, error) {
	return newLines(c.ForkChoice, logger, prometheus.NewRegistry())
}
