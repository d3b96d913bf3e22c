package readapi

import "strata/readapi/internal/cache"

// Redis is where API processes share finished answers.
type Redis = cache.Client

// OpenRedis returns a client for Config.Redis; see cache.Open, which lists the URLs that it understands.
func OpenRedis(url string) (*Redis, error) { return cache.Open(url) }
