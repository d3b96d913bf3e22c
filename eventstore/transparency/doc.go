// Package transparency makes the log a transparency log: anybody can check, with tools that are not ours, that an event
// is in it and that it only ever grew.
//
// It serves what https://c2sp.org/tlog-tiles asks for (checkpoint, tiles, bundles of entries) and proofs as RFC 6962
// has them. The tree's leaves are the leaf records of docs/log-format.md: small, so that bodies need not be read.
//
// # Positions
//
// seq starts at 1 and the index of a leaf at 0: the event seq is the leaf seq-1, and a tree of size n holds the events
// 1 to n.
//
// # What is stored
//
// A hash of level 0 follows from one row of the log. The roots of full subtrees of 256, 65,536, … leaves are stored
// (log.subtree, a row for each 256 events), so that a tile is at most 256 rows, and a proof a few hundred. Log.Run
// writes them, some time after the events: who dies between the two leaves nothing half done, and the next one goes on
// where the table ends. Any number of processes may run it.
//
// # Invariants
//
//  1. A checkpoint is signed only when the stored subtrees and the rows after them hash to log.head's frontier, which
//     was made when the events were appended, and only when it extends the last one that was signed, in the transaction
//     that stores it. The row lock of log.tree orders those who sign; the number of a checkpoint is taken once.
//  2. What is served is within the newest checkpoint, so that everything served is covered by a signature.
//  3. A process also remembers the last checkpoint that it signed in a file beside its key. A database that was
//     restored from a backup has forgotten what it had signed; the file has not (see ErrRollback).
package transparency
