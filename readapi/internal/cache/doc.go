// Package cache caches finished answers in two tiers: in this process, and in a Redis that processes share. A maker
// function provides answers that neither tier has. The package is independent of what an answer is.
//
// # Keys never lie
//
// A Key is a digest of everything that an answer depends on, including the position of the data. One key therefore never
// stands for two different contents: nothing is ever updated or deleted; an answer that is no longer requested simply
// ages out. For the same reason it doesn't matter which tier, which process or which of two racing makers an answer
// comes from.
//
// # The path of a request
//
//	memory ── hit ─────────────────────────────────────────────► answer
//	  │ miss
//	flight: one per keys and process; later callers wait for it
//	  │
//	Redis: GET the candidates, one round trip ── hit ─► memory ─► answer
//	  │ miss
//	turn: SET lock NX, and GET the candidates again
//	  │ won                        │ lost
//	  │                            poll until it is there, the lock is gone, or 150 ms have passed
//	  ▼                            ▼
//	make ─► memory, queue for Redis ───────────────────────────► answer
//
// The new answer may belong to a key that was not requested, because the data moved on before it was read. All callers
// that waited for the flight get it; it is cached under its own key.
//
// # Redis never hurts
//
// Whatever Redis does, callers get answers and never see its errors. Each call to Redis is bounded by 100 ms and is not
// repeated. There are two breakers, one for reading and one for writing, because a full Redis refuses writes but still
// answers reads. A breaker opens after 5 consecutive calls that failed or took longer than 50 ms, if at least half of the
// calls in the last second did. While a breaker is open, no request uses Redis for its kind of operation; one background
// call a second checks whether Redis is back, so that no caller waits for that either. Values are stored through a bounded
// queue, and those that don't fit are dropped: Redis is only a cache.
//
// Redis should be configured as a cache: with maxmemory, and with maxmemory-policy allkeys-lru or allkeys-lfu. Without an
// eviction policy a full Redis refuses writes, and the processes share no new answers until old ones expire.
package cache
