package readapi

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/metadata/picture"
	"strata/readapi/audit"
	"strata/readapi/internal/engine"
	"strata/readapi/node"
)

// Config configures an API. Pool is required for anything but the documentation; the zero value of any other field means
// its default.
type Config struct {
	// Pool connects to the database that is read; a replica will do.
	Pool *pgxpool.Pool
	// Logger receives what an operator should know, and each request at level debug; default none.
	Logger *slog.Logger
	// Registry is where the API's metrics are registered, and what GET /metrics shows; default a new one.
	Registry *prometheus.Registry
	// Rules are the rules numbers of this program's projections, by projection: they number the code that builds a
	// version's rows. Versions that other code has built are not read; such reads are answered with 503. Default none:
	// all versions are read.
	Rules map[string]int
	// Version is the program's version, which answers report.
	Version engine.Version
	// Network is the network that the archive belongs to; default mainnet.
	Network string
	// LagLimit is how many items of its input an active projection may be behind before GET /readyz reports it; default
	// 1000.
	LagLimit int64
	// StatementTimeout bounds each query in the database; default 10 s.
	StatementTimeout time.Duration
	// RequestTimeout bounds the total time that a request may wait for the database; default 15 s.
	RequestTimeout time.Duration
	// CacheBytes bounds the memory for cached answers; default 64 MiB.
	CacheBytes int64
	// Redis is where processes share their answers; default none. The caller closes it.
	Redis redis.UniversalClient
	// RedisPrefix is the prefix of all keys in Redis; default "strata:".
	RedisPrefix string
	// Program separates the answers of this program from those of other builds that share the Redis; default Version.
	Program string
	// Signal returns a channel that is closed at the next sign that the tables may have changed; default none. Without
	// it a change is noticed after WatchInterval at most.
	Signal func() <-chan struct{}
	// WatchInterval is the interval at which to look for changes in any case; default 100 ms.
	WatchInterval time.Duration
	// ImageBase is the base URL under which copies of images are served, without a slash at its end. Without it (the
	// default) answers name a gateway instead.
	ImageBase string
	// Images is the store of the copies; without it (the default) none are served. The caller closes it.
	Images picture.Store
	// Gateways serve images that are not on the web. They are used only without an ImageBase.
	Gateways document.Gateways
	// Nodes returns the status of the nodes to which requests under /v2 and /v3 are forwarded; default none. The server
	// around the API forwards these requests, so that they don't reach the API. With Nodes, a quarter of CacheBytes is
	// reserved for NodeAnswers.
	Nodes func() []node.NodeStatus
	// BlockLimit asks a node for the total execution cost that the blocks of a tenure may have, for FeeOverride. Without
	// it (the default) no fees are estimated.
	BlockLimit func(ctx context.Context) (node.ExecutionCost, error)
	// Log serves the log as a transparency log; nil for none.
	Log audit.TransparencyLog
	// OrdinalsTxIDBare leaves 0x out of the tx_id of inscriptions, as ordinals-api does.
	OrdinalsTxIDBare bool
	// StreamsMost is the maximum number of streaming connections; default 20,000.
	StreamsMost int
	// Heartbeat is the interval at which an idle stream sends a sign of life; default 15 s.
	Heartbeat time.Duration
	// StreamWriteTimeout is how long a streaming client may leave sent data unread; default 10 s.
	StreamWriteTimeout time.Duration
	// PingInterval is the interval of pings to WebSocket clients, and how long to wait for each answer; default 5 s.
	PingInterval time.Duration
	// StreamQueue is the maximum number of messages that may wait for a streaming client; default 1024.
	StreamQueue int
	// Refresh records a client's request to fetch a token's metadata again. Without it (the default) there are no such
	// requests.
	Refresh func(ctx context.Context, wish fetch.Refresh) error
}

// LagLimitDefault is the default of Config.LagLimit.
const LagLimitDefault = 1000

func (c Config) withDefaults() Config {
	if c.Registry == nil {
		c.Registry = prometheus.NewRegistry()
	}
	if c.CacheBytes <= 0 {
		c.CacheBytes = engine.CacheBytesDefault
	}
	if c.LagLimit <= 0 {
		c.LagLimit = LagLimitDefault
	}
	return c
}

// engine returns the engine's part of the configuration. Processes whose configurations lead to different answers get
// different Programs.
func (c *Config) engine() engine.Config {
	e := engine.Config{
		Description: description(c.Version), Pool: c.Pool, Logger: c.Logger, Registry: c.Registry, Rules: c.Rules, Version: c.Version,
		Network: c.Network, StatementTimeout: c.StatementTimeout, RequestTimeout: c.RequestTimeout, CacheBytes: c.CacheBytes,
		Redis: c.Redis, RedisPrefix: c.RedisPrefix, Program: cmp.Or(c.Program, c.Version.String()) + c.variant(),
		Signal: c.Signal, WatchInterval: c.WatchInterval,
	}
	if c.Nodes != nil {
		e.TimedBytes = c.CacheBytes / nodeShare
	}
	return e
}

// variant describes the settings that change answers, so that processes with different settings don't share answers;
// empty for the defaults.
func (c *Config) variant() string {
	text := ""
	if c.ImageBase != "" {
		text = " images=" + c.ImageBase
	} else if len(c.Gateways.IPFS)+len(c.Gateways.Arweave)+len(c.Gateways.Replaced) > 0 {
		text = fmt.Sprintf(" gateways=%q,%q,%q", c.Gateways.IPFS, c.Gateways.Arweave, c.Gateways.Replaced)
	}
	if c.OrdinalsTxIDBare {
		text += " bare tx_id"
	}
	return text
}
