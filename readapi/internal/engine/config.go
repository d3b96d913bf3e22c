package engine

import (
	"log/slog"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"strata/readapi/internal/cache"
)

// engineConfig of an engine. Description is required, and Pool to answer anything but the documentation; the zero value of any other
// field means its default.
type Config struct {
	// Description is what huma starts from: it has the title, the tags and the registry of schemas.
	Description huma.Config
	// Pool is the database that is read; a replica will do.
	Pool *pgxpool.Pool
	// Logger for what an operator should know; each request is a debug record. Default none.
	Logger *slog.Logger
	// Registry that the metrics are registered with; default a new one.
	Registry *prometheus.Registry
	// Rules are the numbers of the code of each projection that this program knows, by name. What other code has built is not
	// read: such reads are answered with 503. Default none, and anything is read.
	Rules map[string]int
	// Version that answers say the program is.
	Version Version
	// Network that the archive is of; default mainnet.
	Network string
	// StatementTimeout bounds each query in the database; default 10 s.
	StatementTimeout time.Duration
	// RequestTimeout bounds all the waiting for the database that one request may do; default 15 s.
	RequestTimeout time.Duration
	// CacheBytes bounds the memory for answers that are kept; default 64 MiB.
	CacheBytes int64
	// TimedBytes is how much of CacheBytes is for answers that are right for a time, not in a state; default none.
	TimedBytes int64
	// Redis is where processes share their answers; default none. It stays the caller's to close.
	Redis redis.UniversalClient
	// RedisPrefix is what all keys in Redis begin with; default "strata:".
	RedisPrefix string
	// Program tells the answers of this program, as it is configured, from those of others with which it may share a Redis; default
	// Version.
	Program string
	// Signal gives the channel that is closed at the next sign that the tables may have changed; default none. Without
	// it a change is seen at the next WatchInterval.
	Signal func() <-chan struct{}
	// WatchInterval is how often to look for changes in any case; default 100 ms.
	WatchInterval time.Duration
}

// Defaults of engineConfig.
const (
	NetworkDefault          = "mainnet"
	StatementTimeoutDefault = 10 * time.Second
	RequestTimeoutDefault   = 15 * time.Second
	CacheBytesDefault       = cache.MemoryBytesDefault
	RedisPrefixDefault      = cache.PrefixDefault
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
	if c.Program == "" {
		c.Program = c.Version.String()
	}
	return c
}
