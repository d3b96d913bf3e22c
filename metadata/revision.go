package metadata

import (
	"math"
	"time"

	"github.com/riverqueue/river"
)

// revision identifies a want as an event raised it. Two projections that raise the same want at the same event have the
// same revision.
type revision struct {
	Key      string `json:"key"` // SHA-256 of the want's key, in hex
	Seq      int64  `json:"source_seq"`
	Attempts int    `json:"attempts"`
	Waits    int    `json:"waits"`
	DueAt    int64  `json:"due_us"` // microseconds since 1970
}

func (r revision) dueAt() time.Time { return time.UnixMicro(r.DueAt) }

// task is the arguments of a job. Jobs are unique by their revision, but not by the schema that the revision was found
// in.
type task struct {
	Revision revision `json:"raising" river:"unique"`
	Schema   string   `json:"schema"`
}

var _ river.JobArgs = task{}

// Kind implements river.JobArgs.
func (task) Kind() string { return "strata_fetch" }

// insertParams returns the parameters with which to insert the job.
func (t task) insertParams(lane lane, priority int16) river.InsertManyParams {
	return river.InsertManyParams{Args: t, InsertOpts: &river.InsertOpts{
		Queue:    lane.queue(),
		Priority: int(min(max(priority, 1), 4)),
		// Permanent failures are recorded in the log, so a job is only tried again after temporary ones.
		MaxAttempts: math.MaxInt16,
		// The default states leave out cancelled and discarded: such jobs neither run nor have a report.
		UniqueOpts: river.UniqueOpts{ByArgs: true},
	}}
}
