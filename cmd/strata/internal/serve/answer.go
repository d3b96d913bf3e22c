package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/folding"
	"strata/internal/accesslog"
	"strata/metadata/picture"
	"strata/projections"
	"strata/readapi"
	"strata/readapi/rosetta"
)

// streamsMost is how many streams and WebSockets may be open: each takes some ten kilobytes. One client leaves half of them for the others.
const streamsMost = 20_000

// answer serves the read API, from replicas if there are any. lines are the projections of this program. The returned
// handler is the same API for operators, who may choose versions of read tables and see internals.
func (c *Command) answer(ctx context.Context, group *errgroup.Group, listening listeners, db *database.DB, lines projections.Lines, images picture.Store, changes changes, logger *slog.Logger, registry *prometheus.Registry) (forOperators http.Handler, err error) {
	from, err := c.openReads(ctx, group, db, logger, registry)
	if err != nil {
		return nil, err
	}
	pool := from.pool
	registryOfNames, err := folding.RegistryOfNames()
	if err != nil {
		from.close()
		return nil, err
	}
	config := readapi.Config{
		RegistryOfNames: registryOfNames,
		Pool:            pool, Primary: from.primary, Logger: logger, Tracer: c.tracer, Registry: registry, Version: c.build, Program: executableDigest(), LagLimit: c.LagLimit, Network: c.Network, Rules: lines.Rules(), Readable: lines.Readable(),
		CacheBytes: c.CacheMemory, RedisPrefix: c.RedisPrefix,
		ImageBase: c.imageBase(), Images: images,
		OrdinalsTxIDBare: !c.OrdinalsTxIDPrefix, StreamsMost: streamsMost, StreamsPerClient: streamsMost / 2, StrictParameters: c.StrictParameters, PublicInternals: c.PublicInternals, Rosetta: c.rosetta(),
	}
	log, err := c.Audit.OpenLog(ctx, db.Log, pool, c.Database.DataDir, false, logger)
	if err != nil {
		from.close()
		return nil, err
	}
	config.Log = shownLog{log}
	config.Notices, config.CompareProblem = c.notices, c.compareProblem
	if c.AllowRefresh {
		config.Refresh = refresher(db.Log)
	}
	if config.Faucet, err = c.faucetConfig(ctx, db.Pool, c.nodes, c.Network, c.ChainID.of(c.Network), logger); err != nil {
		from.close()
		return nil, err
	}
	if c.RedisURL != "" {
		redis, err := readapi.OpenRedis(c.RedisURL)
		if err != nil {
			from.close()
			return nil, fmt.Errorf("--redis-url: %w", err)
		}
		config.Redis = redis
	}
	config.Signal, config.Feed = changes.C, changes.feed
	forward := c.forwarding(&config)
	config.Rosetta.NodeRPC = forward.rpc()
	api := readapi.New(config)
	from.shown.Store(api)
	withNodes, err := forward.before(api, c.ChainID.of(c.Network), !c.PublicInternals, logger, registry)
	if err != nil {
		from.close()
		return nil, err
	}
	group.Go(func() error {
		api.Run(ctx)
		if config.Redis != nil {
			_ = config.Redis.Close()
		}
		return nil
	})
	if forward != nil {
		runIn(ctx, group, forward.proxy.Run)
	}
	var serving sync.WaitGroup // the servers that need the pool
	serve := func(what string, server *http.Server, listener net.Listener) {
		serving.Add(1)
		group.Go(func() error {
			defer serving.Done()
			return serveHTTP(ctx, what, server, listener, logger)
		})
	}
	if c.access, err = accesslog.New(c.AccessLog, logger, registry); err != nil {
		from.close()
		return nil, err
	}
	if listening.bns != nil {
		logger.LogAttrs(ctx, slog.LevelInfo, "serving the names of BNS-V2", slog.String("url", c.url(listening.bns, false)))
		serve("names", httpServer(c.tracer.Handler(c.proxies.Trusts, c.limited(api.BNS())), logger), listening.bns)
	}
	if listening.rosetta != nil {
		logger.LogAttrs(ctx, slog.LevelInfo, "serving the integration standard", slog.String("url", c.url(listening.rosetta, false)))
		serve("integration standard", httpServer(c.tracer.Handler(c.proxies.Trusts, c.limited(rosetta.AtRoot(api))), logger), listening.rosetta)
	}
	address := c.url(listening.api, false)
	logger.LogAttrs(ctx, slog.LevelInfo, "serving the API", slog.String("url", address), slog.String("documentation", address+"/docs"))
	serve("API", httpServer(c.tracer.Handler(c.proxies.Trusts, c.draining.handler(c.limited(c.withHistory(withNodes)))), logger), listening.api)
	group.Go(func() error {
		serving.Wait()
		from.close()
		return nil
	})
	return api.ForOperators(), nil
}
