package cache

import (
	"context"
	"time"
)

// Timed caches bytes that each have a time to live, in the two tiers of the cache that it belongs to: in memory of its own,
// and in the same Redis, behind the same breakers. It is safe for concurrent use, and is closed with its cache. Neither
// Timed nor its callers may change the bytes.
//
// It calls no maker, so it has no flights and no turns: a caller that wants identical requests to share one maker has to
// arrange that between Get and Find.
type Timed struct {
	memory  *Memory[Key, timed]
	remote  remote // nil without a Redis
	metrics *metrics
}

// remote is the tier in Redis.
type remote interface {
	findTimed(ctx context.Context, key Key) (value []byte, left time.Duration, ok bool)
	storeTimed(key Key, value []byte, ttl time.Duration)
}

// timed is a value and its expiry.
type timed struct {
	value []byte
	until time.Time
}

// timedOverhead is the memory of a value besides its bytes and its key, in bytes.
const timedOverhead = 48

func newTimed(bytes int64, remote remote, metrics *metrics) *Timed {
	weigh := func(key Key, t timed) int { return len(key) + len(t.value) + timedOverhead }
	return &Timed{memory: NewMemory(bytes, weigh, metrics.evictions.Inc), remote: remote, metrics: metrics}
}

// Get returns the value of key if this process has it. It allocates nothing.
func (t *Timed) Get(key Key) ([]byte, bool) {
	entry, ok := t.memory.Get(key)
	if !ok || !time.Now().Before(entry.until) {
		return nil, false
	}
	t.metrics.memoryHits.Inc()
	return entry.value, true
}

// Find returns the value of key if Redis has it. It waits for Redis, but only for a bounded time (see "Redis never hurts").
func (t *Timed) Find(ctx context.Context, key Key) ([]byte, bool) {
	if t.remote != nil {
		if value, left, ok := t.remote.findTimed(ctx, key); ok {
			t.metrics.redisHits.Inc()
			t.memory.Replace(key, timed{value, time.Now().Add(left)})
			return value, true
		}
	}
	t.metrics.misses.Inc()
	return nil, false
}

// Set stores a value for ttl. It does not wait: Redis gets the value in the background.
func (t *Timed) Set(key Key, value []byte, ttl time.Duration) {
	if ttl <= 0 {
		return
	}
	t.memory.Replace(key, timed{value, time.Now().Add(ttl)})
	if t.remote != nil {
		t.remote.storeTimed(key, value, ttl)
	}
}

// Remember stores a value for ttl in this process only.
func (t *Timed) Remember(key Key, value []byte, ttl time.Duration) {
	if ttl > 0 {
		t.memory.Replace(key, timed{value, time.Now().Add(ttl)})
	}
}
