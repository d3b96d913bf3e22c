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
func (b *Bench) Redis(ctx context.Context) {
	path, args, address, err := serverrig.Redis()
	bench.Check(err)
	process := bench.Must(serverrig.Start(exec.CommandContext(ctx, path, args...)))
	defer func() { _ = process.End(os.Kill, time.Second) }() // it has nothing to save
	client := redis.NewClient(&redis.Options{Addr: address})
	defer client.Close() //nolint:errcheck // the process ends
	waitForKeys(ctx, client, 0)
	// No answer fits into one byte of memory.
	server := b.serveWorld(ctx, "--cache-memory", "1", "--redis-url", "redis://"+address)
	defer server.Stop()
	c, list := bench.Record(ctx, server, hotTargets(), "")
	waitForKeys(ctx, client, len(c.ByTarget))
	c.Redis = address
	before := server.Tally(ctx)
	b.BesideHandler(ctx, "from Redis, STX balance", "bare handler with GET", "≥ 8,000 req/s", server, c, list)
	b.Sources(ctx, server, before, "from Redis", func(t bench.Tally) float64 { return t.Redis + t.Joined })
}

// waitForKeys waits until Redis answers and has at least this number of keys.
func waitForKeys(ctx context.Context, client *redis.Client, keys int) {
	var size int64
	var err error
	if !serverrig.WaitFor(ctx, 20*time.Second, func() bool {
		size, err = client.DBSize(ctx).Result()
		return err == nil && int(size) >= keys
	}) {
		bench.Check(fmt.Errorf("wait for %d keys in Redis, which has %d: %w", keys, size, errors.Join(err, ctx.Err())))
	}
}
