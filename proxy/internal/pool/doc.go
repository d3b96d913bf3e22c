// Package pool knows the nodes behind the proxy: what each is good for, and which of them takes the next request.
//
// # Standing
//
// A node's standing follows from what it said of itself when it was last asked (GET /v2/info), from the height that each
// of its answers carries, and from the others:
//
//	           asked, and on the right chain
//	unasked ─────────────────────────────▶ serving ◀──▶ lagging   behind the pool
//	   │                                      ▲  ◀──▶ syncing   says so itself
//	   │                                      │  ◀──▶ ahead     far before all others, and nobody vouches for it
//	   └──▶ foreign (another chain)           └──────▶ down      doesn't answer when it is asked
//
// On top of that a node is ejected when requests fail on it: for a time that doubles, after which one request tries it.
//
// # Invariants
//
//   - A foreign node never gets a request.
//   - The pool is never empty because of what nodes say: when none is serving, the least lagging one serves, then those
//     ahead, then those ejected or down. A node that reports its own health is believed only when it reports bad health.
//   - Lag is measured against the pool and not against the clock: when Bitcoin is slow, nobody lags.
//   - A node ahead of all others raises the pool's tip only when another one has, at some height, the same block, or when
//     it knows the block that another one calls its tip. Otherwise it could be on a fork, or lie.
package pool
