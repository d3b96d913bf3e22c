package cache

import (
	"context"
	"sync"
	"time"
)

// Cache is a two-tier cache of finished answers. It is safe for concurrent use.
type Cache[V Value] struct {
	memory  *Memory[Key, V]
	shared  *shared[V] // nil without a Redis
	timed   *Timed
	timeout time.Duration

	mu      sync.Mutex
	flights map[Keys]*flight[V]
	metrics *metrics
	close   func()
}

// New returns a cache. The caller must close it. New makes no call to Redis: a Redis that can't be reached now is used once
// it can.
func New[V Value](config Config[V]) *Cache[V] {
	config = config.withDefaults()
	metrics := newMetrics(config.Registerer)
	memory := NewMemory(config.MemoryBytes, weigh[V], metrics.evictions.Inc)
	c := &Cache[V]{memory: memory, timeout: config.Timeout, flights: map[Keys]*flight[V]{}, metrics: metrics}
	var remote remote
	if config.Redis != nil {
		c.shared = newShared(config, metrics)
		remote = c.shared
	}
	c.timed = newTimed(config.TimedBytes, remote, metrics)
	forget, forgetTimed := metrics.population.add(memory), metrics.population.add(c.timed.memory)
	c.close = sync.OnceFunc(func() {
		if c.shared != nil {
			c.shared.close()
		}
		forget()
		forgetTimed()
	})
	return c
}

// weigh returns the memory that a value and its key take, in bytes.
func weigh[V Value](key Key, value V) int { return len(key) + value.Weight() }

// Get returns the value under one of the keys if this process has it. It allocates nothing.
func (c *Cache[V]) Get(keys Keys) (V, bool) {
	value, ok := c.look(keys)
	if ok {
		c.metrics.memoryHits.Inc()
	}
	return value, ok
}

func (c *Cache[V]) look(keys Keys) (V, bool) {
	if keys.Lasting != (Key{}) {
		if value, ok := c.memory.Get(keys.Lasting); ok {
			return value, true
		}
	}
	if keys.Current == (Key{}) {
		var none V
		return none, false
	}
	return c.memory.Get(keys.Current)
}

// Do returns the value under one of the keys from either tier, or else calls maker. Concurrent callers with the same keys
// share one call of a maker, which may be another caller's. Callers in other processes wait a short time for its value.
//
// The maker's context has the values of the first caller's context but doesn't end with it: if that caller leaves, the
// others still get the value. It ends after Config.Timeout. A caller that waits for another caller's maker returns ctx's
// error when ctx ends. Otherwise errors are the maker's, or a *PanicError if it panicked. Errors are not cached.
//
// Without any key, maker is called for this caller alone.
func (c *Cache[V]) Do(ctx context.Context, keys Keys, maker func(ctx context.Context) (Made[V], error)) (V, error) {
	if value, ok := c.Get(keys); ok {
		return value, nil
	}
	return c.share(ctx, keys, maker)
}

// Reweigh makes the memory tier weigh a value again after it has become heavier.
func (c *Cache[V]) Reweigh(key Key) { c.memory.Reweigh(key) }

// Timed returns the part of the cache for values that expire.
func (c *Cache[V]) Timed() *Timed { return c.timed }

// Close stores the values that still wait to be stored, for at most 2 s, and ends the cache's goroutines. The cache remains
// usable without Redis, and may be closed again.
func (c *Cache[V]) Close() { c.close() }
