package cache

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
)

// Config of a Cache. The zero value of a field means its default.
type Config[V Value] struct {
	// MemoryBytes bounds the in-process tier; default 64 MiB. A value over a sixteenth of it isn't kept there.
	MemoryBytes int64
	// TimedBytes bounds the memory of Cache.Timed, beside MemoryBytes; default none, so that it has nothing but Redis.
	TimedBytes int64
	// Redis that processes share; default none. It stays the caller's to close, after the cache.
	Redis redis.UniversalClient
	// Parse reads what Value.AppendBinary wrote; it may keep parts of its input. Required with Redis.
	Parse func(b []byte) (V, error)
	// Prefix of all keys in Redis; default "strata:".
	Prefix string
	// TTL of values in Redis that don't say their own; default 10 minutes.
	TTL time.Duration
	// Timeout bounds the making of an answer, however long its callers would wait; default 15 s.
	Timeout time.Duration
	// Logger is told when Redis fails and when it is back; default none.
	Logger *slog.Logger
	// Registerer of the metrics, strata_cache_…; default none. Several caches may share one.
	Registerer prometheus.Registerer

	limits limits
}

// Defaults of Config.
const (
	MemoryBytesDefault = 64 << 20
	PrefixDefault      = "strata:"
	TTLDefault         = 10 * time.Minute
	TimeoutDefault     = 15 * time.Second
)

// TTLImmutable is for values that never change. It isn't forever, so that what nobody asks for goes.
const TTLImmutable = 24 * time.Hour

// ValueBytesMax is the size of the largest value that goes into Redis, where a large one delays all the others.
const ValueBytesMax = 1 << 20

// limits that aren't an operator's to choose. Tests on a busy machine set them wider.
type limits struct {
	call       time.Duration // of one call to Redis, with waiting for a connection
	slow       time.Duration // over which a call counts as failed, though its result is used
	failures   uint32        // in a row that open a breaker, if half of the calls in the window failed
	window     time.Duration // in which calls are counted
	open       time.Duration // from opening a breaker, or a failed probe, to the next probe
	lock       time.Duration // after which the lock of a maker that died is gone
	wait       time.Duration // for another process's answer
	queueLen   int           // stores that wait for a worker, for each of the two queues
	queueBytes int64         // of all the values that wait for a worker
	workers    int
	drain      time.Duration // of Close
}

func limitsDefault() limits {
	return limits{
		call:       100 * time.Millisecond,
		slow:       50 * time.Millisecond,
		failures:   5,
		window:     time.Second,
		open:       time.Second,
		lock:       2 * time.Second,
		wait:       150 * time.Millisecond,
		queueLen:   1024,
		queueBytes: 16 << 20,
		workers:    2,
		drain:      2 * time.Second,
	}
}

func (c Config[V]) withDefaults() Config[V] {
	if c.MemoryBytes <= 0 {
		c.MemoryBytes = MemoryBytesDefault
	}
	if c.Prefix == "" {
		c.Prefix = PrefixDefault
	}
	if c.TTL <= 0 {
		c.TTL = TTLDefault
	}
	if c.Timeout <= 0 {
		c.Timeout = TimeoutDefault
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Registerer == nil {
		c.Registerer = prometheus.NewRegistry()
	}
	if c.limits == (limits{}) {
		c.limits = limitsDefault()
	}
	return c
}
