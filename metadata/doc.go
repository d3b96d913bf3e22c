// Package metadata gets what projections want from outside, and records what came of it in the log.
//
// It decides nothing about tokens. A projection keeps its wants in a table of its own; this package looks for those
// that are due, makes the requests, and appends one [fetch.Report] for each attempt. The projections fold the reports,
// and with them the want goes, or is raised anew for later.
//
// # The way of a want
//
//	{schema}.want ──dispatcher──▶ job in river ──worker──▶ requests ──▶ report ──recorder──▶ log.event
//	      ▲                                                                                     │
//	      └──────────────────────────── the projection folds the report ───────────────────────┘
//
// A want is raised by an event of the log. The raising is the pair of the want's key and the row's source_seq,
// attempts, waits and due_at: a want that failed, or that somebody asked for again, is the same want in another
// raising.
//
// # Invariants
//
//  1. A raising has one job at most, over all processes and all projections that raised it: River keeps the arguments
//     unique until an hour after the job was done, and wants are dispatched only while their projection is close
//     behind the log, so that by then it has folded the report.
//  2. Each raising has one report in the log. The report is appended and the job completed in one transaction, and
//     only if the job is still the very one that the worker was given. Killed at any moment, a want is neither lost
//     nor recorded twice. (It may be asked for twice: whoever was killed between the answer and the commit.)
//  3. A worker whose time is over does not write.
//
// # Failure
//
// A failed request is a result, and recorded. What is no result, and leaves no report, is what went wrong on this side:
// the database was away, the process was stopped, no node can be asked. Then the job is tried again; the job of a
// process that was killed is found after Config.RescueAfter.
package metadata
