package cache

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// shared is the tier in Redis.
type shared[V Value] struct {
	client  *Client
	naming  naming
	parse   func(Key, []byte) (V, error)
	ttl     time.Duration
	limits  limits
	logger  *slog.Logger
	metrics *metrics
	reads   *breaker
	writes  *breaker
	queue   *queue
	stop    func() // ends the goroutines

	unparsable sync.Once
}

func newShared[V Value](config Config[V], metrics *metrics) *shared[V] {
	s := &shared[V]{
		client: config.Redis, naming: naming(config.Prefix), parse: config.Parse, ttl: config.TTL,
		limits: config.limits, logger: config.Logger, metrics: metrics,
	}
	outage := newOutage(config.Logger)
	s.reads = newBreaker("read", s.probeRead, s.limits, metrics, outage)
	s.writes = newBreaker("write", s.probeWrite, s.limits, metrics, outage)
	s.queue = newQueue(s.limits, s.write, metrics)
	ctx, cancel := context.WithCancel(context.Background())
	var watchers sync.WaitGroup
	watchers.Go(func() { s.reads.watch(ctx) })
	watchers.Go(func() { s.writes.watch(ctx) })
	s.stop = func() {
		s.queue.close()
		cancel()
		watchers.Wait()
	}
	return s
}

func (s *shared[V]) close() { s.stop() }

// found is the result of a look-up in Redis.
type found[V Value] struct {
	key   Key
	value V
	ok    bool
}

// find looks for the value in Redis. If Redis doesn't have it, find ensures that one process makes it: find returns either
// another process's value, or the turn to make it. It returns neither if Redis can't be used, or if the other process takes
// too long; then the caller makes the value as well.
func (s *shared[V]) find(ctx context.Context, keys Keys) (found[V], turn) {
	if s.queue.closed() {
		return found[V]{}, none
	}
	hit, err := s.get(ctx, keys)
	if hit.ok || err != nil || !s.writes.closed() {
		return hit, none
	}
	mine := newTurn(s.naming.lock(keys))
	won, hit, err := s.take(ctx, keys, mine)
	switch {
	case kindOf(err) == kindTimeout: // Redis may have granted the turn nevertheless
		s.release(mine)
		return found[V]{}, none
	case err != nil:
		return found[V]{}, none
	case won && hit.ok: // it was stored between the two look-ups
		s.release(mine)
		return hit, none
	case won:
		return found[V]{}, mine
	case hit.ok:
		return hit, none
	default:
		return s.wait(ctx, keys, mine.lock), none
	}
}

// get looks all keys up in one round trip.
func (s *shared[V]) get(ctx context.Context, keys Keys) (found[V], error) {
	var values [][]byte
	err := s.reads.run(ctx, "get", func(ctx context.Context) (err error) {
		values, err = s.client.get(ctx, s.names(keys))
		return err
	})
	if err != nil {
		return found[V]{}, err
	}
	return s.first(ctx, keys, values), nil
}

// take requests the turn to make a value, and looks for the value once more: the previous holder of the turn may have
// stored it.
func (s *shared[V]) take(ctx context.Context, keys Keys, mine turn) (won bool, hit found[V], err error) {
	var values [][]byte
	err = s.writes.run(ctx, "lock", func(ctx context.Context) (err error) {
		won, values, err = s.client.lock(ctx, mine, s.limits.lock, s.names(keys))
		return err
	})
	if err != nil {
		return false, found[V]{}, err
	}
	return won, s.first(ctx, keys, values), nil
}

// wait polls for another process's value, ever less often.
func (s *shared[V]) wait(ctx context.Context, keys Keys, lock string) found[V] {
	deadline := time.Now().Add(s.limits.wait)
	for pause := 2 * time.Millisecond; time.Now().Add(pause).Before(deadline); pause *= 2 {
		select {
		case <-ctx.Done():
			return found[V]{}
		case <-time.After(pause):
		}
		held, hit, err := s.poll(ctx, keys, lock)
		switch {
		case err != nil:
			return found[V]{}
		case hit.ok:
			s.metrics.waits.WithLabelValues("found").Inc()
			return hit
		case !held: // the other process failed, or its value belongs to another key
			s.metrics.waits.WithLabelValues("released").Inc()
			return found[V]{}
		}
	}
	s.metrics.waits.WithLabelValues("too long").Inc()
	return found[V]{}
}

// poll checks whether the lock is held, and then looks for the value, which is stored before the lock is released.
func (s *shared[V]) poll(ctx context.Context, keys Keys, lock string) (held bool, hit found[V], err error) {
	var values [][]byte
	err = s.reads.run(ctx, "poll", func(ctx context.Context) (err error) {
		held, values, err = s.client.held(ctx, lock, s.names(keys))
		return err
	})
	if err != nil {
		return false, found[V]{}, err
	}
	return held, s.first(ctx, keys, values), nil
}

// names are what the values of the keys are called in Redis.
func (s *shared[V]) names(keys Keys) []string {
	var names []string
	for _, key := range keys.list() {
		names = append(names, s.naming.value(key))
	}
	return names
}

// first returns the first of the keys' values that exists and can be parsed.
func (s *shared[V]) first(ctx context.Context, keys Keys, values [][]byte) found[V] {
	for i, key := range keys.list() {
		if values[i] == nil {
			continue
		}
		var value V
		b, err := unnamed(values[i], key)
		if err == nil {
			value, err = s.parse(key, b)
		}
		if err == nil {
			return found[V]{key: key, value: value, ok: true}
		}
		s.refuse(ctx, key, len(b), err)
	}
	return found[V]{}
}

// refuse counts a value that can't be used, and logs the first one.
func (s *shared[V]) refuse(ctx context.Context, key Key, length int, err error) {
	kind := "unparsable"
	if errors.Is(err, errMisnamed) {
		kind = "misnamed"
	}
	s.metrics.errors.WithLabelValues("get", kind).Inc()
	s.unparsable.Do(func() {
		s.logger.LogAttrs(ctx, slog.LevelWarn, "a value in Redis can't be parsed, or belongs to another key; building it anew, and only counting further ones",
			slog.String("key", s.naming.value(key)), slog.Int("bytes", length), slog.Any("error", err))
	})
}

func (s *shared[V]) probeRead(ctx context.Context) error {
	_, err := s.client.get(ctx, []string{s.naming.probe()})
	return err
}

func (s *shared[V]) probeWrite(ctx context.Context) error {
	return s.client.write(ctx, job{key: s.naming.probe(), ttl: time.Second})
}
