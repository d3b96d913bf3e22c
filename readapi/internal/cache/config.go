package cache

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Config configures a Cache. The zero value of a field means its default.
type Config[V Value] struct {
	// MemoryBytes bounds the in-process tier; default 64 MiB. A value over a sixteenth of it isn't kept there.
	MemoryBytes int64
	// TimedBytes bounds the memory of Cache.Timed, in addition to MemoryBytes; default none, so that it uses only Redis.
	TimedBytes int64
	// Redis is shared by processes; default none. The caller closes it, after the cache.
	Redis *Client
	// Parse reads the output of Value.AppendBinary, which was found under a key; the value may keep parts of the input.
	// Required with Redis.
	Parse func(key Key, b []byte) (V, error)
	// Prefix is the prefix of all keys in Redis; default "strata:".
	Prefix string
	// TTL is the time to live in Redis of values that don't have their own; default 10 minutes.
	TTL time.Duration
	// Timeout bounds each call of a maker, however long its callers would wait; default 15 s.
	Timeout time.Duration
	// Logger is told when Redis fails and when it is back; default none.
	Logger *slog.Logger
	// Registerer is where the metrics strata_cache_… are registered; default none. Several caches may share one.
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

// TTLImmutable is the time to live of values that never change. It is finite so that unused values disappear.
const TTLImmutable = 24 * time.Hour

// ValueBytesMax is the size of the largest value that is stored in Redis, where a large one delays all others.
const ValueBytesMax = 1 << 20

// limits are bounds that operators can't configure. Tests widen them for busy machines.
type limits struct {
	call       time.Duration // maximum time of one call to Redis, including the wait for a connection
	slow       time.Duration // a call that takes longer counts as failed, though its result is used
	failures   uint32        // consecutive failures that open a breaker, if half of the calls in the window failed
	window     time.Duration // in which calls are counted
	open       time.Duration // from the opening of a breaker, or a failed probe, to the next probe
	lock       time.Duration // lifetime of a lock, in case its holder dies
	wait       time.Duration // maximum wait for another process's answer
	queueLen   int           // maximum number of jobs in each of the two queues
	queueBytes int64         // maximum size of all values in the queues
	workers    int
	drain      time.Duration // maximum time that Close waits for the queues to drain
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
