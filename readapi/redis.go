package readapi

import "strata/readapi/internal/cache"

// OpenRedis returns a client for Config.Redis; see cache.Open, which lists the URLs that it understands.
func OpenRedis(url string) (*cache.Client, error) { return cache.Open(url) }
