package cache

import (
	"context"
	"sync"
	"time"
)

// Cache of finished answers. It is safe for concurrent use.
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

// New returns a cache, which has to be closed. It doesn't ask Redis for anything: one that can't be reached now
// is used when it can.
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

// weigh is the memory of a value under its key.
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

// Do returns the value under one of the keys, from either tier, or else what maker makes. Callers who ask for the same
// keys at the same time share one maker, which may be another caller's; in other processes they wait for it a little.
//
// The maker's context has the values of the first caller's, but doesn't end with it: whoever leaves, the others get the
// value. It ends after Config.Timeout. Who waits for another's maker returns when ctx ends, with ctx's error; otherwise
// errors are the maker's, and *PanicError if it panicked. No error is kept.
//
// Without any key, maker makes the value for this caller alone.
func (c *Cache[V]) Do(ctx context.Context, keys Keys, maker func(ctx context.Context) (Made[V], error)) (V, error) {
	if value, ok := c.Get(keys); ok {
		return value, nil
	}
	return c.share(ctx, keys, maker)
}

// Reweigh has the memory tier weigh a value again, which has become heavier.
func (c *Cache[V]) Reweigh(key Key) { c.memory.Reweigh(key) }

// Timed keeps what others make, in the tiers of this cache.
func (c *Cache[V]) Timed() *Timed { return c.timed }

// Close stores what still waits to be stored, for 2 s at most, and ends the cache's goroutines. The cache may still be
// used, without Redis, and may be closed again.
func (c *Cache[V]) Close() { c.close() }
