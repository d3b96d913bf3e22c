// Package cache keeps finished answers in two tiers in front of whoever makes them: in this process, and in a Redis that
// processes share. It knows nothing of what an answer is.
//
// # Keys never lie
//
// A Key is a digest of everything that an answer depends on, the position of the data included. One key therefore never
// stands for two different contents: nothing is ever updated or deleted, an answer that is no longer asked for simply
// ages out. That is also why it doesn't matter which tier, which process or which of two racing makers an answer
// comes from.
//
// # The way of a request
//
//	memory ── hit ─────────────────────────────────────────────► answer
//	  │ miss
//	flight: one per keys and process, everybody else waits for it
//	  │
//	Redis: GET the candidates, one round trip ── hit ─► memory ─► answer
//	  │ miss
//	turn: SET lock NX, and GET the candidates again
//	  │ won                        │ lost
//	  │                            poll until there, the lock is gone, or 150 ms are over
//	  ▼                            ▼
//	make ─► memory, queue for Redis ───────────────────────────► answer
//
// The answer that is made may belong to another key than those asked for, because the data moved on before it was
// read. Everybody who waited for the flight gets it; it is kept under its own key.
//
// # Redis never hurts
//
// Whatever Redis does, callers get answers and no errors of Redis's. Each call to it is bounded by 100 ms and made
// once. Two breakers, one for reading and one for writing (a full Redis refuses writes and still answers reads), open
// after 5 calls in a row that failed or took longer than 50 ms, when those are at least half of the calls of the last second. While one is open, no request touches Redis for it;
// one background call a second looks whether Redis is back, so that no caller waits for that either. Storing
// goes through a bounded queue, and what doesn't fit is dropped: Redis is a cache.
//
// Redis should be set up as one: maxmemory, and maxmemory-policy allkeys-lru or allkeys-lfu. Without an
// eviction policy it refuses writes when full, and the processes share nothing until old answers expire.
package cache
