package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// server is a Redis that go-redis speaks to.
type server struct{ client redis.UniversalClient }

// unlock deletes the lock if it is still the holder's: after it has expired, another process may hold it.
var unlock = redis.NewScript(`
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("DEL", KEYS[1])
	end
	return 0`)

func (s server) get(ctx context.Context, names []string) ([][]byte, error) {
	pipe := s.client.Pipeline()
	gets := look(ctx, pipe, names)
	if err := execute(ctx, pipe); err != nil {
		return nil, err
	}
	return values(gets), nil
}

func (s server) getTimed(ctx context.Context, name string) (value []byte, left time.Duration, err error) {
	pipe := s.client.Pipeline()
	gets, ttl := look(ctx, pipe, []string{name}), pipe.PTTL(ctx, name)
	if err := execute(ctx, pipe); err != nil {
		return nil, 0, err
	}
	return values(gets)[0], ttl.Val(), nil
}

func (s server) lock(ctx context.Context, mine turn, ttl time.Duration, names []string) (won bool, found [][]byte, err error) {
	pipe := s.client.Pipeline()
	set := pipe.SetArgs(ctx, mine.lock, mine.token, redis.SetArgs{Mode: "NX", TTL: ttl})
	gets := look(ctx, pipe, names)
	if err := execute(ctx, pipe); err != nil {
		return false, nil, err
	}
	return set.Err() == nil, values(gets), nil
}

func (s server) held(ctx context.Context, lock string, names []string) (held bool, found [][]byte, err error) {
	pipe := s.client.Pipeline()
	exists := pipe.Exists(ctx, lock)
	gets := look(ctx, pipe, names)
	if err := execute(ctx, pipe); err != nil {
		return false, nil, err
	}
	return exists.Val() > 0, values(gets), nil
}

func (s server) write(ctx context.Context, j job) error {
	pipe := s.client.Pipeline()
	if j.key != "" {
		pipe.Set(ctx, j.key, j.value, j.ttl)
	}
	if j.turn != none {
		unlock.Eval(ctx, pipe, []string{j.turn.lock}, j.turn.token)
	}
	return execute(ctx, pipe)
}

func (s server) info(ctx context.Context, sections []string) (map[string]map[string]string, error) {
	return s.client.InfoMap(ctx, sections...).Result()
}

func (s server) close() error { return s.client.Close() }

// look adds a look-up of names to a pipeline.
func look(ctx context.Context, pipe redis.Pipeliner, names []string) []*redis.StringCmd {
	var gets []*redis.StringCmd
	for _, name := range names {
		gets = append(gets, pipe.Get(ctx, name))
	}
	return gets
}

// values returns what look-ups have found; nil stands for a value that is not there.
func values(gets []*redis.StringCmd) [][]byte {
	found := make([][]byte, len(gets))
	for i, get := range gets {
		b, err := get.Bytes()
		switch {
		case err != nil: // there is no value
		case b == nil:
			found[i] = []byte{} // there is one, and it is empty
		default:
			found[i] = b
		}
	}
	return found
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
