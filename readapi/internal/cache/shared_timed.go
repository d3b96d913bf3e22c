package cache

import (
	"context"
	"time"
)

// findTimed returns a value that expires, and the time that it has left, in one round trip.
func (s *shared[V]) findTimed(ctx context.Context, key Key) (value []byte, left time.Duration, ok bool) {
	if s.queue.closed() {
		return nil, 0, false
	}
	err := s.reads.run(ctx, "get", func(ctx context.Context) (err error) {
		value, left, err = s.client.getTimed(ctx, s.naming.value(key))
		return err
	})
	if err != nil || value == nil {
		return nil, 0, false
	}
	if value, err = unnamed(value, key); err != nil {
		s.refuse(ctx, key, len(value), err)
		return nil, 0, false
	}
	return value, max(left, 0), true // negative if it expired between the two commands
}

// storeTimed queues a value to be stored.
func (s *shared[V]) storeTimed(key Key, value []byte, ttl time.Duration) {
	switch {
	case !s.reads.closed(), !s.writes.closed():
		s.metrics.dropped.WithLabelValues("unavailable").Inc()
	case len(value) > ValueBytesMax:
		s.metrics.dropped.WithLabelValues("too large").Inc()
	default:
		// The shortest time to live in Redis is a millisecond.
		s.queue.add(job{key: s.naming.value(key), value: append(appendName(make([]byte, 0, namedLen+len(value)), key), value...), ttl: max(ttl, time.Millisecond)})
	}
}
