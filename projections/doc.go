// Package projections is the vocabulary that a projection is written in: a fold of the log into read tables. Nothing in
// it opens a connection or runs.
//
// # Two kinds of projections
//
// Leaders fold the events of the log. The projection chain alone knows forks: it decides which blocks are canonical,
// and writes a linear list of steps, "apply block B" and "revert block B". The projection ordinals does the same for
// the ordinals feed. Followers fold these steps; they hold canonical rows only, and undo the newest block when a step
// reverts it. A leader and its followers are a Line.
//
// # Rooms
//
// Arrows are imports.
//
//	admin ──────▶ version ──────┐
//	                 ▲          ▼
//	follow ──────────┴──▶ internal/register    the folds: chain, accounts, …
//	   │                        │                         │
//	   └────────────────────────┴─────────────────────────┴──────▶ projections
//
// Package follow runs the folds: followers, batches, decoding, leadership. Package version decides which versions of
// tables there are, and which one readers see; package admin is its HTTP API. What follow and version share is in
// internal/register: the rows of the register, with the tables and views of its entries. A fold imports none of these
// rooms, and no other fold.
//
// # Invariants
//
//  1. The rows of a projection and its position commit in one transaction, which the projection's follower owns: UPDATE
//     strata.projection SET position = new WHERE … AND position = old. If no row changes, another process has applied
//     the items already, and the follower reads its position again. So every item counts exactly once, whatever is
//     killed when, and however many processes run the same projection.
//  2. A projection reads nothing but its input and its own tables: no clock, no network, no random numbers. The same
//     log and the same code give the same rows.
//  3. An event that can't be decoded is quarantined, visibly, and the projection goes on; docs/projections.md has the
//     rule. Any other failure stops this projection, visibly, after a bounded number of attempts, and leaves the others
//     running. A database that can't be reached is waited for.
package projections
