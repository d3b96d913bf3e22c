// Package metadata fetches what projections want from outside, and records the results in the log.
//
// It decides nothing about tokens. Each projection keeps its wants in a table of its own. This package finds the wants
// that are due, makes the requests, and appends one [fetch.Report] for each attempt. When a projection folds a report,
// it deletes the want, or raises it again for a later time.
//
// # Path of a want
//
//  1. An event of the log raises a want: a row of {schema}.want, with a time at which it is due.
//  2. The dispatcher of any process takes a lease on it: a row of metadata.lease, which keeps others from the want for a while.
//  3. A worker makes the requests. If they can't be made now, it puts the want off: the lease has no holder until then.
//  4. The recorder appends the report to the log and marks the lease as done, in one transaction.
//  5. The projection folds the report, and the want is gone, or has another revision: then it is due again, without a lease.
//
// A revision of a want is its key with source_seq, attempts, waits and due_at. It is another one when the want has failed, or
// when a person asks for it again.
//
// # Invariants
//
//  1. A revision has at most one holder, over all processes and all projections that raised it. Once done, it is not fetched
//     again for an hour. By then the projection has folded the report, because wants are taken only while their projection is
//     close to the head of the log.
//  2. A revision has one report in the log: the report is appended only if the lease still has the holder that the worker was
//     given. So if a process is killed at any moment, no want is lost or recorded twice. (Requests may be made twice, if the
//     process is killed between the answer and the commit.)
//  3. A worker whose time is over does not write.
//
// # Failures
//
// A failed request is a result, and is recorded. A failure on this side is not a result and leaves no report: the
// database is unreachable, the process stops, no node accepts requests. Then the want is put off, for no time if the process
// stops. The leases of a killed process end after Config.RescueAfter.
package metadata
