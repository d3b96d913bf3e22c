package metadata

import (
	"math"
	"time"

	"github.com/riverqueue/river"
)

// raising names one time that a want was raised. Two projections that raise the same want at the same event mean the
// same raising.
type raising struct {
	Key      string `json:"key"` // SHA-256 of the want's key, in hex
	Seq      int64  `json:"source_seq"`
	Attempts int    `json:"attempts"`
	Waits    int    `json:"waits"`
	DueAt    int64  `json:"due_us"` // microseconds since 1970
}

func (r raising) due() time.Time { return time.UnixMicro(r.DueAt) }

// task is what a job is told: a raising, which is what makes it unique, and in which schema it was found, which is not.
type task struct {
	Raising raising `json:"raising" river:"unique"`
	Schema  string  `json:"schema"`
}

var _ river.JobArgs = task{}

// Kind is the job's name in River's tables.
func (task) Kind() string { return "strata_fetch" }

// insert makes the parameters of a job.
func (t task) insert(lane lane, priority int16) river.InsertManyParams {
	return river.InsertManyParams{Args: t, InsertOpts: &river.InsertOpts{
		Queue:    lane.queue(),
		Priority: int(min(max(priority, 1), 4)),
		// What fails for good is recorded, so a job is only ever tried again for reasons that pass.
		MaxAttempts: math.MaxInt16,
		// In the default states, which leave out cancelled and discarded: neither under way nor recorded.
		UniqueOpts: river.UniqueOpts{ByArgs: true},
	}}
}
