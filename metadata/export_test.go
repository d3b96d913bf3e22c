package metadata

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/internal/testsignal"
)

// LagItemsMax is lagItemsMax.
const LagItemsMax = lagItemsMax

// InitSignals makes m send its test signals. It must be called before Run.
func (m *Metadata) InitSignals() {
	m.signals.pass.Init()
	m.signals.lost.Init()
}

// PassSignal is sent after each complete pass of the dispatcher.
func (m *Metadata) PassSignal() *testsignal.Signal { return &m.signals.pass }

// LostSignal is sent after a worker has dropped its report because its job was given to another worker.
func (m *Metadata) LostSignal() *testsignal.Signal { return &m.signals.lost }

// Commit records the report of one run of a job.
func Commit(ctx context.Context, log *eventstore.Log, id int64, attemptedAt time.Time, report *fetch.Report) (settled, lost bool, err error) {
	body, err := report.Encode()
	if err != nil {
		return false, false, err
	}
	f := &finishedAttempt{
		ctx: ctx, job: &river.Job[task]{JobRow: &rivertype.JobRow{ID: id, AttemptedAt: &attemptedAt}},
		report: report, incoming: incoming(report, body),
	}
	all, err := committer{log, &budget{fetchesMost: 1 << 40, bytesMost: 1 << 60}}.commit(ctx, []*finishedAttempt{f})
	reason, settled := all[f]
	return settled, errors.Is(reason, errLost), err
}
