package readapi

import (
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
	"strata/readapi/internal/cache"
	"strata/readapi/internal/live"
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
	Version Version
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
	Nodes func() []NodeStatus
	// BlockLimit asks a node what the blocks of a tenure may cost together, for FeeOverride; default none, and no fees
	// are estimated.
	BlockLimit func(ctx context.Context) (ExecutionCost, error)
	// Log shows the log as a transparency log; nil: it is not shown.
	Log TransparencyLog
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

// Defaults of Config.
const (
	NetworkDefault          = "mainnet"
	LagLimitDefault         = 1000
	StatementTimeoutDefault = 10 * time.Second
	RequestTimeoutDefault   = 15 * time.Second
	CacheBytesDefault       = cache.MemoryBytesDefault
	RedisPrefixDefault      = cache.PrefixDefault

	StreamsMostDefault        = live.MostDefault
	HeartbeatDefault          = 15 * time.Second
	StreamWriteTimeoutDefault = 10 * time.Second
	PingIntervalDefault       = 5 * time.Second
	StreamQueueDefault        = live.QueueMessagesDefault
)

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Registry == nil {
		c.Registry = prometheus.NewRegistry()
	}
	if c.Network == "" {
		c.Network = NetworkDefault
	}
	if c.LagLimit <= 0 {
		c.LagLimit = LagLimitDefault
	}
	if c.StatementTimeout <= 0 {
		c.StatementTimeout = StatementTimeoutDefault
	}
	if c.RequestTimeout <= 0 {
		c.RequestTimeout = RequestTimeoutDefault
	}
	if c.CacheBytes <= 0 {
		c.CacheBytes = CacheBytesDefault
	}
	if c.RedisPrefix == "" {
		c.RedisPrefix = RedisPrefixDefault
	}
	if c.Heartbeat <= 0 {
		c.Heartbeat = HeartbeatDefault
	}
	if c.StreamWriteTimeout <= 0 {
		c.StreamWriteTimeout = StreamWriteTimeoutDefault
	}
	if c.PingInterval <= 0 {
		c.PingInterval = PingIntervalDefault
	}
	return c
}

// Version of the program.
type Version struct {
	Tag    string // such as v1.2.0; default dev
	Branch string // default unknown
	Commit string // default unknown
}

// String is "<tag> (<branch>:<commit>)", the value of the header X-API-Version.
func (v Version) String() string {
	return fmt.Sprintf("%s (%s:%s)", or(v.Tag, "dev"), or(v.Branch, "unknown"), or(v.Commit, "unknown"))
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
