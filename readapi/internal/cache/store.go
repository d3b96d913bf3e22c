package cache

import (
	"context"
	"time"
)

// job for a worker: a value to store, a turn to give back, or first the one and then the other.
type job struct {
	key   string // empty: no value
	value []byte
	ttl   time.Duration
	turn  turn
}

// store hands a value to the workers, and the turn with it. It says whether they will give the turn back.
func (s *shared[V]) store(made Made[V], turn turn) bool {
	switch {
	case !s.reads.closed(), !s.writes.closed():
		s.metrics.dropped.WithLabelValues("unavailable").Inc()
		return false
	case made.Value.Weight() > 2*ValueBytesMax: // not worth the encoding
		s.metrics.dropped.WithLabelValues("too large").Inc()
		return false
	}
	value := made.Value.AppendBinary(nil)
	if len(value) > ValueBytesMax {
		s.metrics.dropped.WithLabelValues("too large").Inc()
		return false
	}
	ttl := made.TTL
	if ttl <= 0 {
		ttl = s.ttl
	}
	// Redis knows no shorter time than a millisecond.
	ttl = max(ttl, time.Millisecond)
	return s.queue.add(job{key: s.naming.value(made.Key), value: value, ttl: ttl, turn: turn})
}

// release gives a turn back without a value, so that those who wait for it go on at once.
func (s *shared[V]) release(t turn) {
	if t != none {
		s.queue.add(job{turn: t})
	}
}

// write does a job, in one round trip: those who wait for the turn see the value when they see that it is over.
func (s *shared[V]) write(ctx context.Context, j job) {
	operation := "store"
	if j.key == "" {
		operation = "release"
	}
	err := s.writes.run(ctx, operation, func(ctx context.Context) error {
		pipe := s.client.Pipeline()
		if j.key != "" {
			pipe.Set(ctx, j.key, j.value, j.ttl)
		}
		if j.turn != none {
			unlock.Eval(ctx, pipe, []string{j.turn.lock}, j.turn.token)
		}
		return execute(ctx, pipe)
	})
	switch {
	case j.key == "":
	case err == nil:
		s.metrics.stores.Inc()
	default:
		s.metrics.dropped.WithLabelValues("unavailable").Inc()
	}
}
