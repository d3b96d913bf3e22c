package cache

import (
	"context"
	"time"
)

// Timed keeps bytes that somebody else has made, each for a time of its own, in the two tiers of the cache that it belongs
// to: in a part of the memory, and in the same Redis, behind the same breakers. It is safe for concurrent use, and ends with
// its cache. Neither side may change the bytes.
//
// It makes nothing, and so has no flights and no turns: who wants that identical requests share one maker has to see
// to it between Get and Find.
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

// timed is a value and until when it is right.
type timed struct {
	value []byte
	until time.Time
}

// timedOverhead is the memory of a value besides its bytes and its key.
const timedOverhead = 48

func newTimed(bytes int64, remote remote, metrics *metrics) *Timed {
	weigh := func(key Key, t timed) int { return len(key) + len(t.value) + timedOverhead }
	return &Timed{memory: NewMemory(bytes, weigh, metrics.evictions.Inc), remote: remote, metrics: metrics}
}

// Get returns the value of key if this process has it. It allocates nothing.
func (t *Timed) Get(key Key) ([]byte, bool) {
	found, ok := t.memory.Get(key)
	if !ok || !time.Now().Before(found.until) {
		return nil, false
	}
	t.metrics.memoryHits.Inc()
	return found.value, true
}

// Find returns the value of key if Redis has it. It takes as long as Redis does, which is bounded (see Redis never hurts).
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

// Set keeps a value for ttl, in Redis as soon as there is time for it. It doesn't wait.
func (t *Timed) Set(key Key, value []byte, ttl time.Duration) {
	if ttl <= 0 {
		return
	}
	t.memory.Replace(key, timed{value, time.Now().Add(ttl)})
	if t.remote != nil {
		t.remote.storeTimed(key, value, ttl)
	}
}

// Remember keeps a value for ttl in this process alone.
func (t *Timed) Remember(key Key, value []byte, ttl time.Duration) {
	if ttl > 0 {
		t.memory.Replace(key, timed{value, time.Now().Add(ttl)})
	}
}
