package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/metadata/picture"
	"strata/readapi"
)

// answer serves the read API, from the replica if there is one. rules maps each projection of this program to the number
// of its rules. changes returns a channel that is closed at the next change of the read tables; it must come from the main
// database, because replicas do not deliver notifications. The returned handler is the same API for callers that may
// choose versions of read tables.
func (c *Command) answer(ctx context.Context, group *errgroup.Group, listening listeners, db *database.DB, rules map[string]int, images picture.Store, changes func() <-chan struct{}, logger *slog.Logger, registry *prometheus.Registry) (choosing http.Handler, err error) {
	url := c.DatabaseReadURL
	if url == "" {
		url = db.URL
	}
	pool, err := database.Connect(ctx, url, func(config *pgxpool.Config) { readapi.Prepare(config, 0) })
	if err != nil {
		return nil, err
	}
	config := readapi.Config{
		Pool: pool, Logger: logger, Registry: registry, Version: c.build, Program: executableDigest(), LagLimit: c.LagLimit, Network: c.Network, Rules: rules,
		CacheBytes: c.CacheMemory, RedisPrefix: c.RedisPrefix,
		ImageBase: c.imageBase(), Images: images, Gateways: c.gateways(),
		OrdinalsTxIDBare: !c.OrdinalsTxIDPrefix, StreamsMost: c.MaxStreams, Rosetta: c.rosetta(),
	}
	log, err := c.Audit.OpenLog(ctx, db.Pool, pool, c.Database.DataDir, false, logger)
	if err != nil {
		pool.Close()
		return nil, err
	}
	config.Log = shownLog{log}
	if c.AllowRefresh {
		config.Refresh = refresher(db.Log)
	}
	if c.RedisURL != "" {
		redis, err := readapi.OpenRedis(c.RedisURL)
		if err != nil {
			pool.Close()
			return nil, fmt.Errorf("--redis-url: %w", err)
		}
		config.Redis = redis
	}
	config.Signal = changes
	forward := c.forwarding(&config)
	config.Rosetta.NodeRPC = forward.rpc()
	api := readapi.New(config)
	withNodes, err := forward.before(api, c.Network, logger, registry)
	if err != nil {
		pool.Close()
		return nil, err
	}
	group.Go(func() error {
		api.Run(ctx)
		if config.Redis != nil {
			_ = config.Redis.Close()
		}
		return nil
	})

	group.Go(func() error {
		forward.run(ctx)
		return nil
	})
	address := "http://" + address(listening.api)
	logger.LogAttrs(ctx, slog.LevelInfo, "serving the API", slog.String("url", address), slog.String("documentation", address+"/docs"))
	group.Go(func() error {
		defer pool.Close()
		return serveHTTP(ctx, "API", forward.server(withNodes, logger), listening.api, c.ShutdownGrace, logger)
	})
	if listening.rosetta != nil {
		c.standardAtRoot(ctx, group, listening.rosetta, api, logger)
	}
	return api.ChoosingVersions(), nil
}
