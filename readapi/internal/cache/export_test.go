package cache

import (
	"time"

	"github.com/redis/go-redis/v9"
)

// Patient sets limits that a busy machine doesn't reach, for tests of what happens when nothing fails.
func Patient[V Value](c Config[V]) Config[V] {
	c.limits = limitsDefault()
	c.limits.call, c.limits.slow = 10*time.Second, 10*time.Second
	c.limits.lock, c.limits.wait = 20*time.Second, 20*time.Second
	return c
}

// Tired is Patient but for another process's answer.
func Tired[V Value](c Config[V]) Config[V] {
	c = Patient(c)
	c.limits.wait = limitsDefault().wait
	return c
}

// NeverSlow sets limits under which only a call that fails opens a breaker, and a call fails only if Redis does.
func NeverSlow[V Value](c Config[V]) Config[V] {
	c.limits = limitsDefault()
	c.limits.call, c.limits.slow = time.Second, time.Hour
	return c
}

// OnlySlow sets limits under which a late answer opens a breaker, however late it is and however few are asked for.
func OnlySlow[V Value](c Config[V]) Config[V] {
	c = Patient(c)
	c.limits.slow, c.limits.window = limitsDefault().slow, time.Minute
	return c
}

// Queue sets how much may wait to be stored.
func Queue[V Value](c Config[V], length int, bytes int64) Config[V] {
	if c.limits == (limits{}) {
		c.limits = limitsDefault()
	}
	c.limits.queueLen, c.limits.queueBytes = length, bytes
	return c
}

// RedisKey is where a value is, and RedisLock whose turn it is to make it.
func RedisKey(key Key) string    { return naming(PrefixDefault).value(key) }
func RedisLock(keys Keys) string { return naming(PrefixDefault).lock(keys) }

// Named is what is stored under a key for a value.
func Named(key Key, value string) string { return string(appendName(nil, key)) + value }

// Overhead is what an entry is said to cost besides its key and value.
const Overhead = entryOverhead

// Inner is go-redis's client.
func Inner(c *Client) redis.UniversalClient { return c.commands.(server).client }
