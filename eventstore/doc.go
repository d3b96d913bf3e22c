// Package eventstore is the append-only log: append, read, follow.
//
// # Invariants
//
//  1. What is in the log never changes: the database refuses UPDATE, DELETE and TRUNCATE.
//  2. seq starts at 1, has no gaps, and the order of commits is the order of seq: a reader that has seen every
//     event up to p misses nothing by reading on from p.
//  3. A body comes back byte for byte as it was received. A re-delivery of identical bytes is an event of its own,
//     which points to the body that is already there.
//  4. log.head holds the Merkle frontier of exactly the committed events, in the same transaction.
//
// # How appends are ordered
//
// Every append updates the one row of log.head with a compare-and-set on its size. That row lock orders all
// writers of all processes, and a rollback takes the position back with it. Within a process, appends that wait
// at the same time share a transaction (group commit, queue.go); the queue is bounded, so that whoever posts
// faster than the disk writes is slowed down rather than held in memory.
//
// A batch of small bodies is one statement in one round trip. A batch that holds a large body is a COPY whose
// bodies stream from where they were spooled (copy.go), so that memory does not grow with the size of a body.
//
// # Failure
//
// An append either is durable when Append returns nil, or has not happened when it returns ErrUnavailable. When
// the connection breaks while a commit is under way nobody can know; Append then returns ErrUnavailable too, the
// sender sends again, and the event stands in the log twice, which is what re-deliveries look like anyway.
package eventstore
