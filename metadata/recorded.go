package metadata

import "github.com/riverqueue/river/rivertype"

// recorded is what a worker returns whose job was completed with its report. River takes it for the result of a worker
// that has settled several jobs by itself, of which none is left to settle: so it does not look for the job again, only to
// find that it is completed. Would it take it for an error one day, that would change nothing either: errors are noted of
// jobs that run.
type recorded struct{}

// Error implements error.
func (recorded) Error() string { return "the job was completed with its report" }

// Jobs are those that River has to settle.
func (recorded) Jobs() []*rivertype.JobRow { return nil }

// ErrorsByID are the errors of these.
func (recorded) ErrorsByID() map[int64]error { return nil }
