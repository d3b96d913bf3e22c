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
//	redis://host:26379?master_name=main      the master that sentinels name; further sentinels with addr=host:port
//	redis://host:6379?addr=host2:6379        a cluster, with further nodes to ask for the others
//	redis://host:6379?cluster=true           a cluster, one node of it
//
// Further parameters are go-redis's (pool_size=20, read_timeout=50ms, …). Errors name the URL without its user, its
// password and its parameters.
func OpenRedis(url string) (redis.UniversalClient, error) { return cache.Open(url) }
