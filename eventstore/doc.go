// Package eventstore is the append-only log: append, read, follow.
//
// # Invariants
//
//  1. An event in the log never changes: the database refuses UPDATE, DELETE and TRUNCATE.
//  2. seq starts at 1 and has no gaps, and events commit in the order of seq. So a reader that has seen every event
//     up to position p misses nothing if it continues from p.
//  3. A body is read back byte for byte as it was received. A re-delivery of the same bytes becomes a new event, which
//     points to the body that is already stored.
//  4. log.head holds the Merkle frontier of exactly the committed events. Every append updates it in its transaction.
//
// # How appends are ordered
//
// Every append updates the one row of log.head with a compare-and-set on its size. The lock on that row orders the
// writers of all processes, and a rollback also undoes the position. Within a process, appends that wait at the same
// time share a transaction (group commit, queue.go). The queue is bounded, so a sender that posts faster than the disk
// writes is slowed down; its events do not pile up in memory.
//
// A batch of small bodies is one statement in one round trip. A batch with a large body is a COPY that streams the
// bodies from their spool files (copy.go), so memory does not grow with the size of a body.
//
// # Failure
//
// When Append returns nil, the event is durable. When it returns ErrUnavailable, the event was normally not written.
// One case can't be decided: the connection breaks during a commit. Append then returns ErrUnavailable too, the sender
// sends the event again, and the log may hold it twice, like any other re-delivery.
package eventstore
