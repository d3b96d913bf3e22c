package reads

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"strata/cmd/bench/internal/bench"
	"strata/internal/testkit/serverrig"
)

// Redis measures answers that are in Redis but not in memory, compared with a handler that only reads bodies from
// the same Redis.
func (b *Bench) Redis(ctx context.Context) error {
	shared, err := b.startRedis(ctx)
	if err != nil {
		return err
	}
	defer shared.stop()
	// No answer fits into one byte of memory.
	server, err := b.serveWorld(ctx, "--cache-memory", "1", "--redis-url", "redis://"+shared.address)
	if err != nil {
		return err
	}
	defer server.Stop()
	c, list, err := bench.Record(ctx, server, hotTargets(), "")
	if err != nil {
		return err
	}
	if err := shared.wait(ctx, len(c.ByTarget)); err != nil {
		return err
	}
	c.Redis = shared.address
	before, err := server.Tally(ctx)
	if err != nil {
		return err
	}
	if err := b.BesideHandler(ctx, "from Redis, STX balance", "bare handler with GET", "≥ 8,000 req/s", server, c, list); err != nil {
		return err
	}
	return b.Sources(ctx, server, before, "from Redis", func(t bench.Tally) float64 { return t.Redis + t.Joined })
}

// redisServer is a Redis that stores nothing on disk.
type redisServer struct {
	command *exec.Cmd
	address string
	client  *redis.Client
}

func (b *Bench) startRedis(ctx context.Context) (*redisServer, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("%w: install Debian's package redis-server, or your system's", err)
	}
	address, err := serverrig.FreeAddress()
	if err != nil {
		return nil, err
	}
	host, port, _ := strings.Cut(address, ":")
	s := &redisServer{
		command: exec.CommandContext(ctx, program, "--bind", host, "--port", port, "--save", "", "--appendonly", "no", "--dir", b.Dir, "--loglevel", "warning"),
		address: address, client: redis.NewClient(&redis.Options{Addr: address}),
	}
	s.command.Stderr = os.Stderr // its log goes to stdout, which is discarded
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	if err := s.wait(ctx, 0); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// wait waits until the server answers and has at least this number of keys.
func (s *redisServer) wait(ctx context.Context, keys int) error {
	var size int64
	var err error
	if !serverrig.WaitFor(ctx, 20*time.Second, func() bool {
		size, err = s.client.DBSize(ctx).Result()
		return err == nil && int(size) >= keys
	}) {
		return fmt.Errorf("wait for %d keys in the Redis on %s, which has %d: %w", keys, s.address, size, errors.Join(err, ctx.Err()))
	}
	return nil
}

func (s *redisServer) stop() {
	_ = s.client.Close()
	_ = s.command.Process.Kill() // it has nothing to save
	_ = s.command.Wait()
}
