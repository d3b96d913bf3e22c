// Package metadata fetches what projections want from outside, and records the results in the log.
//
// It decides nothing about tokens. Each projection keeps its wants in a table of its own. This package finds the wants
// that are due, makes the requests, and appends one [fetch.Report] for each attempt. When a projection folds a report,
// it deletes the want, or raises it again for a later time.
//
// # Path of a want
//
//	{schema}.want ──dispatcher──▶ job in river ──worker──▶ requests ──▶ report ──recorder──▶ log.event
//	      ▲                                                                                     │
//	      └──────────────────────────── the projection folds the report ───────────────────────┘
//
// An event of the log raises a want. When a want has failed, or a person asks for it again, it is raised again: the key
// stays the same, but the row gets another source_seq, attempts, waits or due_at. The key and these four together name
// a revision of the want.
//
// # Invariants
//
//  1. A revision has at most one job, over all processes and all projections that raised it. River keeps the arguments unique
//     until an hour after the job is done. By then the projection has folded the report, because wants are dispatched only
//     while their projection is close to the head of the log.
//  2. A revision has one report in the log. One transaction appends the report and completes the job, and only if the job is
//     still in the same run that the worker was given. So if a process is killed at any moment, no want is lost or recorded
//     twice. (Requests may be made twice, if the process is killed between the answer and the commit.)
//  3. A worker whose time is over does not write.
//
// # Failures
//
// A failed request is a result, and is recorded. A failure on this side is not a result and leaves no report: the
// database is unreachable, the process stops, no node accepts requests. Then River tries the job again. It does so with
// the jobs of a killed process after Config.RescueAfter.
package metadata
