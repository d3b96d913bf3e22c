package cache

import (
	"context"
	"time"
)

// job is a job for a worker: to store a value, to release a turn, or both in this order.
type job struct {
	key   string // empty: no value
	value []byte
	ttl   time.Duration
	turn  turn
}

// store queues a value to be stored, and the turn to be released with it. It reports whether the workers will release the
// turn.
func (s *shared[V]) store(made Made[V], turn turn) bool {
	switch {
	case !s.reads.closed(), !s.writes.closed():
		s.metrics.dropped.WithLabelValues("unavailable").Inc()
		return false
	case made.Value.Weight() > 2*ValueBytesMax: // not worth the encoding
		s.metrics.dropped.WithLabelValues("too large").Inc()
		return false
	}
	value := made.Value.AppendBinary(appendName(make([]byte, 0, namedLen+made.Value.Weight()), made.Key))
	if len(value)-namedLen > ValueBytesMax {
		s.metrics.dropped.WithLabelValues("too large").Inc()
		return false
	}
	ttl := made.TTL
	if ttl <= 0 {
		ttl = s.ttl
	}
	// The shortest time to live in Redis is a millisecond.
	ttl = max(ttl, time.Millisecond)
	return s.queue.add(job{key: s.naming.value(made.Key), value: value, ttl: ttl, turn: turn})
}

// release gives a turn back without a value, so that the processes that wait for it continue at once.
func (s *shared[V]) release(t turn) {
	if t != none {
		s.queue.add(job{turn: t})
	}
}

// write executes a job in one round trip, so that a process that waits for the turn sees the value as soon as it sees that
// the turn is over.
func (s *shared[V]) write(ctx context.Context, j job) {
	operation := "store"
	if j.key == "" {
		operation = "release"
	}
	err := s.writes.run(ctx, operation, func(ctx context.Context) error { return s.client.write(ctx, j) })
	switch {
	case j.key == "":
	case err == nil:
		s.metrics.stores.Inc()
	default:
		s.metrics.dropped.WithLabelValues("unavailable").Inc()
	}
}
