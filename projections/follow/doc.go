// Package follow keeps read tables up to date with the log: a Runner runs a follower for each version whose rules this
// program has.
//
// # Modes of a follower
//
//	         lag > bulk threshold                       error that is not the database's
//	┌──────┐ ───────────────────▶ ┌──────┐               ┌────────┐
//	│ live │                      │ bulk │  ───────────▶ │ failed │ (until resumed or restarted)
//	└──────┘ ◀─────────────────── └──────┘               └────────┘
//	           caught up
//
// Live, items come one at a time through a watermill router whose topic is the log itself, or the list of steps. Far
// behind, they come in batches of up to thousands, one transaction each. Both modes end in the same apply: one
// transaction that moves the position, folds the items and stores the outcome.
//
// An event is decoded once per process, however many projections read it: see package decode.
//
// VerifyRows folds the log anew and compares the result with the tables that readers see.
package follow
