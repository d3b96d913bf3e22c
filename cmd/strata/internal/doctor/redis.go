package doctor

import (
	"context"

	"strata/cmd/strata/internal/program"
	"strata/readapi"
)

func (x *examination) redis(ctx context.Context) {
	const subject = "redis"
	if x.command.RedisURL == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, x.command.Timeout)
	defer cancel()
	client, err := readapi.OpenRedis(x.command.RedisURL)
	if err != nil {
		x.add(Failure, subject, "Set --redis-url (STRATA_REDIS_URL) right.", "%s", program.OneLine(err))
		return
	}
	defer func() { _ = client.Close() }()
	info, err := client.Info(ctx, "server", "memory")
	if err != nil {
		x.add(Warning, subject, "Start it, or set --redis-url right; until then each process caches for itself.", "%s", program.OneLine(err))
		return
	}
	memory := info["Memory"]
	x.add(OK, subject, "", "%s, maxmemory %s, %s", info["Server"]["redis_version"], memory["maxmemory_human"], memory["maxmemory_policy"])
	if memory["maxmemory"] == "0" {
		x.add(Warning, subject, "Set maxmemory, and maxmemory-policy allkeys-lru.", "its memory has no limit")
	} else if memory["maxmemory_policy"] == "noeviction" {
		x.add(Warning, subject, "Set maxmemory-policy allkeys-lru.", "when its memory is full, it refuses new answers instead of dropping old ones")
	}
}
