package cache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// shared is the tier in Redis.
type shared[V Value] struct {
	client  redis.UniversalClient
	naming  naming
	parse   func([]byte) (V, error)
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
	var gets *lookup
	err := s.reads.run(ctx, "get", func(ctx context.Context) error {
		pipe := s.client.Pipeline()
		gets = s.look(ctx, pipe, keys)
		return execute(ctx, pipe)
	})
	if err != nil {
		return found[V]{}, err
	}
	return s.first(ctx, gets), nil
}

// take requests the turn to make a value, and looks for the value once more: the previous holder of the turn may have
// stored it.
func (s *shared[V]) take(ctx context.Context, keys Keys, mine turn) (won bool, hit found[V], err error) {
	var gets *lookup
	var set *redis.StatusCmd
	err = s.writes.run(ctx, "lock", func(ctx context.Context) error {
		pipe := s.client.Pipeline()
		set = pipe.SetArgs(ctx, mine.lock, mine.token, redis.SetArgs{Mode: "NX", TTL: s.limits.lock})
		gets = s.look(ctx, pipe, keys)
		return execute(ctx, pipe)
	})
	if err != nil {
		return false, found[V]{}, err
	}
	return set.Err() == nil, s.first(ctx, gets), nil
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
	var gets *lookup
	var exists *redis.IntCmd
	err = s.reads.run(ctx, "poll", func(ctx context.Context) error {
		pipe := s.client.Pipeline()
		exists = pipe.Exists(ctx, lock)
		gets = s.look(ctx, pipe, keys)
		return execute(ctx, pipe)
	})
	if err != nil {
		return false, found[V]{}, err
	}
	return exists.Val() > 0, s.first(ctx, gets), nil
}

// lookup is a GET for each key.
type lookup struct {
	keys []Key
	gets []*redis.StringCmd
}

// look adds a look-up of the keys to a pipeline.
func (s *shared[V]) look(ctx context.Context, pipe redis.Pipeliner, keys Keys) *lookup {
	l := &lookup{keys: keys.list()}
	for _, key := range l.keys {
		l.gets = append(l.gets, pipe.Get(ctx, s.naming.value(key)))
	}
	return l
}

// first returns the first value that exists and can be parsed.
func (s *shared[V]) first(ctx context.Context, l *lookup) found[V] {
	for i, get := range l.gets {
		b, err := get.Bytes()
		if err != nil {
			continue // there is no value
		}
		var value V
		if b, err = unnamed(b, l.keys[i]); err == nil {
			value, err = s.parse(b)
		}
		if err == nil {
			return found[V]{key: l.keys[i], value: value, ok: true}
		}
		s.refuse(ctx, l.keys[i], len(b), err)
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

// execute sends the commands and returns the first failure among them. A missing value is not a failure.
func execute(ctx context.Context, pipe redis.Pipeliner) error {
	commands, err := pipe.Exec(ctx)
	for _, command := range commands {
		if err := command.Err(); err != nil && !errors.Is(err, redis.Nil) {
			return fmt.Errorf("redis %s: %w", command.Name(), err)
		}
	}
	if errors.Is(err, redis.Nil) {
		return nil
	}
	return err
}

func (s *shared[V]) probeRead(ctx context.Context) error {
	pipe := s.client.Pipeline()
	pipe.Get(ctx, s.naming.probe())
	return execute(ctx, pipe)
}

func (s *shared[V]) probeWrite(ctx context.Context) error {
	return s.client.Set(ctx, s.naming.probe(), "", time.Second).Err()
}
