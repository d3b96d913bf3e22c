// Package transparency makes the log a transparency log: anybody can check with independent tools that the log contains
// an event, and that it has only ever grown.
//
// It serves checkpoints, tiles and bundles of entries (https://c2sp.org/tlog-tiles), and proofs (RFC 6962). The leaves
// of the tree are the leaf records of docs/log-format.md. They do not contain the bodies, so bodies need not be read.
//
// # Positions
//
// seq starts at 1 and the index of a leaf at 0: the event seq is the leaf seq-1, and a tree of size n holds the events
// 1 to n.
//
// # What is stored
//
// A hash of level 0 is computed from one row of the log. The table log.subtree stores the roots of full subtrees of 256,
// 65,536, … leaves, one row for each 256 events. So a tile needs at most 256 rows, and a proof a few hundred. Log.Run
// writes the subtrees some time after the events. If its process dies in between, the next one continues where the table
// ends. Any number of processes may run it.
//
// # Invariants
//
//  1. A checkpoint is signed only if the stored subtrees and the rows after them hash to log.head's frontier, which dates
//     from when the events were appended, and only if it extends the newest checkpoint. Both are checked in the
//     transaction that stores it. The row lock of log.tree orders the signers, so each number is used once.
//  2. Everything served is within the newest checkpoint, and so covered by a signature.
//  3. A process also remembers its last checkpoint in a file beside its key. A database restored from a backup has
//     forgotten its latest checkpoints; the file has not (see ErrRollback).
package transparency
