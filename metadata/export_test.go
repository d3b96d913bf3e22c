package metadata

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"strata/domain/fetch"
	"strata/eventstore"
)

// Near is the bound of items that a projection may be behind.
const Near = lagItemsMax

// Encode is encode.
func Encode(report *fetch.Report, most int) ([]byte, error) { return encode(report, most) }

// Commit records the report of one run of a job.
func Commit(ctx context.Context, log *eventstore.Log, id int64, attemptedAt time.Time, report *fetch.Report) (settled, lost bool, err error) {
	body, err := report.Encode()
	if err != nil {
		return false, false, err
	}
	f := &finished{
		ctx: ctx, job: &river.Job[task]{JobRow: &rivertype.JobRow{ID: id, AttemptedAt: &attemptedAt}},
		incoming: incoming(report, body),
	}
	all, err := committer{log}.commit(ctx, []*finished{f})
	reason, settled := all[f]
	return settled, errors.Is(reason, errLost), err
}
