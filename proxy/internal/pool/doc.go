// Package pool tracks the state of the nodes behind the proxy, and picks the node for each request.
//
// # Standing
//
// The pool probes each node (GET /v2/info). A node's standing follows from its last answer to a probe, from the height
// in each of its other answers, and from the state of the other nodes:
//
//	           probed, and on the right chain
//	unasked ─────────────────────────────▶ serving ◀──▶ lagging   behind the pool
//	   │                                      ▲  ◀──▶ syncing   reports that it is not fully synced
//	   │                                      │  ◀──▶ ahead     far ahead of all others, and nobody vouches for it
//	   └──▶ foreign (another chain)           └──────▶ down      does not answer probes
//
// In addition, the pool ejects a node on which requests fail. The ejection ends with one trial request, which must be safe. If
// that fails too, or requests fail again soon, the next ejection lasts twice as long.
//
// # Invariants
//
//   - A foreign node never gets a request.
//   - No report of a node empties the pool: when no node is serving, the least lagging one serves, then those ahead,
//     then those ejected or down. A node's report of its own health counts only if the report is bad.
//   - Lag is measured against the pool, not against the clock: when Bitcoin is slow, no node lags.
//   - A node ahead of all others raises the pool's tip only if another node vouches for it: both had the same block as
//     their tip at some time, or the node knows the block that the other reports as its tip. Without that, the node
//     could be on a fork, or lie.
package pool
