package readapi

import (
	"github.com/redis/go-redis/v9"

	"strata/readapi/internal/cache"
)

// OpenRedis returns a client for Config.Redis; see cache.Open, which lists the URLs that it understands.
func OpenRedis(url string) (redis.UniversalClient, error) { return cache.Open(url) }
