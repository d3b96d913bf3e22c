// Package pipeline lets several folds share one transaction of the database, and the round trips to it.
//
// Each fold runs in a lane, which looks to it like a transaction of its own. Lanes take turns: one runs until it needs a
// result from the database, then the next. What they ask is sent meanwhile, so that the server works while they compute.
// Once all of them wait, all results are asked for, in one round trip. So folds that each ask five questions one after the
// other take five round trips together, and not five each. As only one lane runs at a time, folds need no locks against
// each other.
//
// Stages of folds follow each other: the folds of a leader, and those of its steps. What the former only write goes out
// with what the latter ask, so that a stage takes no round trip for its end.
//
// A lane does not wait for rows that it copies, nor for batches of statements of whose results it reads none: their errors
// show at the lane's next question, or at its end. Few rows to copy become one INSERT, which costs the server less than the COPY
// protocol does. Many rows are sent aside, in a goroutine, while other lanes compute.
//
// If a statement of a lane fails, the transaction is lost, and with it the work of the other lanes, which end with
// ErrAborted. There are no savepoints, because the statements of lanes are mixed: whoever owns the transaction rolls it
// back, and begins again without the fold at fault.
package pipeline
