package readapi

import (
	"github.com/redis/go-redis/v9"

	"strata/readapi/internal/cache"
)

// OpenRedis returns a client for the Redis at a URL, for Config.Redis. It connects when it is first used.
//
//	redis://user:password@host:6379/0        one server
//	rediss://…                               with TLS
//	unix:///path/to/redis.sock?db=0          through a Unix socket
//	redis://host:26379?master_name=main      the master that sentinels name; addr=host:port adds a sentinel
//	redis://host:6379?addr=host2:6379        a cluster, with several nodes to start from
//	redis://host:6379?cluster=true           a cluster, with one node to start from
//
// Further parameters are go-redis's (pool_size=20, read_timeout=50ms, …). Errors quote the URL without user, password and
// parameters.
func OpenRedis(url string) (redis.UniversalClient, error) { return cache.Open(url) }
