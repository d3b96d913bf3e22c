// Package follow keeps read tables up to date with the log: a Runner runs a follower for each version whose rules this
// program has.
//
// A follower is one loop: it reads what is new, decodes it, folds it, and commits rows and position together. Far behind, a
// batch has up to thousands of items, and the next one is read meanwhile. Near the head it folds one item after the other,
// as a member of its leader's group: all members of a group commit together.
//
//	┌──────────┐   near the head, group open    ┌────────┐
//	│  alone   │ ─────────────────────────────▶ │ member │
//	│          │ ◀───────────────────────────── │        │
//	└──────────┘   it fails, is moved, or the   └────────┘
//	     │         group closes
//	     │ an error that is not the database's
//	     ▼
//	┌──────────┐
//	│  failed  │ (until resumed or restarted)
//	└──────────┘
//
// An event is decoded once per process, however many projections read it: see package decode.
//
// VerifyRows folds the log again and compares the result with the tables that readers see.
package follow
