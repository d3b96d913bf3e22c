package reads

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/redis/go-redis/v9"

	"strata/cmd/bench/internal/bench"
	"strata/internal/testkit/serverrig"
)

// Redis measures answers that are in Redis but not in memory, compared with a handler that only reads bodies from
// the same Redis.
func (b *Bench) Redis(ctx context.Context) error {
	path, args, address, err := serverrig.Redis()
	if err != nil {
		return err
	}
	process, err := serverrig.Start(exec.CommandContext(ctx, path, args...))
	if err != nil {
		return err
	}
	defer func() { _ = process.End(os.Kill, time.Second) }() // it has nothing to save
	client := redis.NewClient(&redis.Options{Addr: address})
	defer client.Close() //nolint:errcheck // the process ends
	if err := waitForKeys(ctx, client, 0); err != nil {
		return err
	}
	// No answer fits into one byte of memory.
	server, err := b.serveWorld(ctx, "--cache-memory", "1", "--redis-url", "redis://"+address)
	if err != nil {
		return err
	}
	defer server.Stop()
	c, list, err := bench.Record(ctx, server, hotTargets(), "")
	if err != nil {
		return err
	}
	if err := waitForKeys(ctx, client, len(c.ByTarget)); err != nil {
		return err
	}
	c.Redis = address
	before, err := server.Tally(ctx)
	if err != nil {
		return err
	}
	if err := b.BesideHandler(ctx, "from Redis, STX balance", "bare handler with GET", "≥ 8,000 req/s", server, c, list); err != nil {
		return err
	}
	return b.Sources(ctx, server, before, "from Redis", func(t bench.Tally) float64 { return t.Redis + t.Joined })
}

// waitForKeys waits until Redis answers and has at least this number of keys.
func waitForKeys(ctx context.Context, client *redis.Client, keys int) (err error) {
	var size int64
	if !serverrig.WaitFor(ctx, 20*time.Second, func() bool {
		size, err = client.DBSize(ctx).Result()
		return err == nil && int(size) >= keys
	}) {
		return fmt.Errorf("wait for %d keys in Redis, which has %d: %w", keys, size, errors.Join(err, ctx.Err()))
	}
	return nil
}
