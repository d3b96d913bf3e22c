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

// Config of an API. Pool is required to answer anything but the documentation; the zero value of any other field means
// its default.
type Config struct {
	// Pool is the database that is read; a replica will do.
	Pool *pgxpool.Pool
	// Logger for what an operator should know; each request is a debug record. Default none.
	Logger *slog.Logger
	// Registry that the API's metrics are registered with, and that GET /metrics shows; default a new one.
	Registry *prometheus.Registry
	// Rules are the numbers of the code of each projection that this program knows, by name. What other code has built is not
	// read: such reads are answered with 503. Default none, and anything is read.
	Rules map[string]int
	// Version that the API says it is.
	Version engine.Version
	// Network that the archive is of; default mainnet.
	Network string
	// LagLimit is how many items of its input an active projection may be behind before GET /readyz says so; default
	// 1000.
	LagLimit int64
	// StatementTimeout bounds each query in the database; default 10 s.
	StatementTimeout time.Duration
	// RequestTimeout bounds all the waiting for the database that one request may do; default 15 s.
	RequestTimeout time.Duration
	// CacheBytes bounds the memory for answers that are kept; default 64 MiB.
	CacheBytes int64
	// Redis is where processes share their answers; default none. It stays the caller's to close.
	Redis redis.UniversalClient
	// RedisPrefix is what all keys in Redis begin with; default "strata:".
	RedisPrefix string
	// Program tells the answers of this program from those of other builds, with which it may share a Redis; default
	// Version.
	Program string
	// Signal gives the channel that is closed at the next sign that the tables may have changed; default none. Without
	// it a change is seen at the next WatchInterval.
	Signal func() <-chan struct{}
	// WatchInterval is how often to look for changes in any case; default 100 ms.
	WatchInterval time.Duration
	// ImageBase is the base URL under which copies of images are served, without a slash at its end; default none, and
	// answers name a gateway instead.
	ImageBase string
	// Images are the copies; default none, and none are served. They stay the caller's to close.
	Images picture.Store
	// Gateways through which images that are not on the web are reached. They count when there is no ImageBase.
	Gateways document.Gateways
	// Nodes says how the nodes are to which requests under /v2 and /v3 are forwarded; default none. Whoever serves the
	// API forwards those requests, so that they don't come to the API. A quarter of CacheBytes is then for NodeAnswers.
	Nodes func() []node.NodeStatus
	// BlockLimit asks a node what the blocks of a tenure may cost together, for FeeOverride; default none, and no fees
	// are estimated.
	BlockLimit func(ctx context.Context) (node.ExecutionCost, error)
	// Log shows the log as a transparency log; nil: it is not shown.
	Log audit.TransparencyLog
	// OrdinalsTxIDBare says that tx_id of inscriptions is without 0x, as ordinals-api has it; default with 0x.
	OrdinalsTxIDBare bool
	// StreamsMost is how many connections may follow what happens; default 20,000.
	StreamsMost int
	// Heartbeat is how often a stream that has nothing to say says so; default 15 s.
	Heartbeat time.Duration
	// StreamWriteTimeout is how long a client may leave what is sent to it unread; default 10 s.
	StreamWriteTimeout time.Duration
	// PingInterval is how often clients of WebSockets are pinged, and for how long their answer is waited for; default 5 s.
	PingInterval time.Duration
	// StreamQueue is how many messages may wait for a client that follows what happens; default 1024.
	StreamQueue int
	// Refresh notes somebody's wish to have a token fetched again; default none, and nobody can.
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

// engine is what the engine is told of it. Answers of processes that are configured to answer differently have another Program.
func (c *Config) engine() engine.Config {
	e := engine.Config{
		Description: description(c.Version), Pool: c.Pool, Logger: c.Logger, Registry: c.Registry, Rules: c.Rules, Version: c.Version, Network: c.Network,
		StatementTimeout: c.StatementTimeout, RequestTimeout: c.RequestTimeout, CacheBytes: c.CacheBytes, Redis: c.Redis, RedisPrefix: c.RedisPrefix,
		Program: cmp.Or(c.Program, c.Version.String()) + c.variant(), Signal: c.Signal, WatchInterval: c.WatchInterval,
	}
	if c.Nodes != nil {
		e.TimedBytes = c.CacheBytes / nodeShare
	}
	return e
}

// variant tells answers of processes apart that are configured to answer differently; empty for the default.
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
