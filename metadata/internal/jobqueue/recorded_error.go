package jobqueue

import "github.com/riverqueue/river/rivertype"

// RecordedError is returned by a worker whose job was already completed together with its report. It has the methods of
// River's error for a worker that settles several jobs by itself, and lists no job that River has to settle. So River
// does not query the job again just to find it completed. If a later version of River took it for an ordinary error,
// nothing would change: River records errors only for running jobs.
type RecordedError struct{}

// Error implements error.
func (RecordedError) Error() string { return "the job was completed with its report" }

// Jobs returns the jobs that River has to settle: none.
func (RecordedError) Jobs() []*rivertype.JobRow { return nil }

// ErrorsByID returns the errors of these jobs: none.
func (RecordedError) ErrorsByID() map[int64]error { return nil }
