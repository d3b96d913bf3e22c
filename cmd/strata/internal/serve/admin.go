package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/internal/accesslog"
	"strata/metadata/refresh"
	"strata/projections"
	"strata/projections/admin"
)

// adminFlags configure the administration API.
type adminFlags struct {
	AdminAddr  string `default:"127.0.0.1:3998" env:"STRATA_ADMIN_ADDR" placeholder:"ADDRESS" help:"Address on which to serve the administration API (empty = none). It builds, switches and drops versions of read tables, reads any of them, has token metadata fetched again, and takes subscriptions. An address that other machines can reach requires --admin-token."`
	AdminToken string `env:"STRATA_ADMIN_TOKEN" placeholder:"TOKEN" help:"Bearer token to require from administration requests (empty = none)."`
}

// adminAddrDefault is the default of --admin-addr.
const adminAddrDefault = "127.0.0.1:3998"

// listen opens the listener of the administration API; nil if there is none. Several processes may run on one machine:
// if another one has the default address, this process runs without administration rather than fail.
func (f *adminFlags) listen(ctx context.Context, logger *slog.Logger) (net.Listener, error) {
	if f.AdminAddr == "" {
		return nil, nil
	}
	if _, err := admin.CheckAddress(f.AdminAddr, f.AdminToken); err != nil {
		return nil, fmt.Errorf("--admin-addr, --admin-token: %w", err)
	}
	listener, err := listenAt("administration", f.AdminAddr, "--admin-addr")
	if err != nil && f.AdminAddr == adminAddrDefault {
		logger.LogAttrs(ctx, slog.LevelWarn, "administration API disabled: its default address is in use; choose another with --admin-addr",
			slog.Any("error", errors.Unwrap(err)))
		return nil, nil
	}
	return listener, err
}

// administer serves the administration API. It includes reads, the read API, if this process serves it (else nil).
func (c *Command) administer(ctx context.Context, group *errgroup.Group, listener net.Listener, db *database.DB, lines projections.Lines, reads http.Handler, logger *slog.Logger, registry prometheus.Registerer) error {
	loopback, err := admin.CheckAddress(address(listener), c.AdminToken)
	if err != nil {
		return fmt.Errorf("--admin-addr, --admin-token: %w", err)
	}
	config := admin.Config{
		Pool: db.Pool, Lines: lines, DataDir: db.DataDir, Token: c.AdminToken, Loopback: loopback,
		Tokens: refresh.Refresher{Log: db.Log, Nodes: c.nodeURLs()}, Reads: reads, Profiles: profiles(), Version: c.build.Tag, Logger: logger,
	}
	if c.subscriptions != nil {
		config.Operations = append(config.Operations, c.subscriptions.Register)
	}
	url := c.url(listener, true)
	logger.LogAttrs(ctx, slog.LevelInfo, "serving the administration API", slog.String("url", url), slog.String("description", url+"/openapi.json"))
	group.Go(func() error {
		return serveHTTP(ctx, "administration", httpServer(accesslog.CountPanics(registry, admin.New(config)), logger), listener, logger)
	})
	return nil
}

// profiles serves the profiles of this process: processor time, heap, goroutines, waits and a trace of the runtime.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)          // which also serves heap, goroutine, allocs, block, mutex and threadcreate
	mux.HandleFunc("/debug/pprof/cmdline", http.NotFound) // it may have secrets
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
