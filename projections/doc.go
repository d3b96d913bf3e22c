// Package projections folds the log into read tables.
//
// # Two kinds
//
// The projection chain folds the events of the log. It alone knows forks: it decides which blocks are canonical
// and writes the linear list of steps, "apply block B" and "revert block B". All others fold these steps, hold
// canonical rows only, and undo the newest block when a step reverts it.
//
// # Invariants
//
//  1. The rows of a projection and its position commit in one transaction, which the projection's follower owns:
//     UPDATE strata.projection SET position = new WHERE … AND position = old. When no row changes, somebody else
//     has applied the events already, and the follower looks again where it stands. So every event counts exactly
//     once, whatever is killed when, and however many processes run the same projection.
//  2. A projection reads nothing but its input and its own tables: no clock, no network, no random numbers. The
//     same log and the same code give the same rows.
//  3. What can't be decoded is quarantined, visibly, and the projection goes on; the rule stands in
//     docs/projections.md. Anything else that fails stops this projection, visibly, after a bounded number of
//     attempts, and leaves the others running. A database that can't be reached is waited for.
//
// # Following
//
//	         lag > bulk threshold                       error that is not the database's
//	┌──────┐ ───────────────────▶ ┌──────┐               ┌────────┐
//	│ live │                      │ bulk │  ───────────▶ │ failed │ (until resumed or restarted)
//	└──────┘ ◀─────────────────── └──────┘               └────────┘
//	           caught up
//
// Live, events come one at a time through a watermill router whose topic is the log itself (or the list of steps);
// far behind, in batches of thousands per transaction. Both ways end in the same apply.
//
// # Versions
//
// Code has a number, that of its rules. What it has built, an Instance, has a number of its own, and any number of them
// stand side by side, each with a follower in the processes whose code has its rules. Readers see the active one. Rebuild
// registers a further one, Verify and Diff look at it, Activate and Rollback switch, Drop takes away; VerifyRows compares
// what is active with what the log gives.
//
// An event is decoded once per process, however many projections read it: see Decoder.
package projections
