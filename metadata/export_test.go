package metadata

import (
	"context"
	"errors"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/internal/testsignal"
)

// Constants that tests use.
const (
	LagItemsMax = lagItemsMax
	WantMaxAge  = wantMaxAge
)

// InitSignals makes m send its test signals. It must be called before Run.
func (m *Metadata) InitSignals() {
	m.signals.pass.Init()
	m.signals.lost.Init()
}

// PassSignal is sent after each complete pass of the dispatcher.
func (m *Metadata) PassSignal() *testsignal.Signal { return &m.signals.pass }

// LostSignal is sent after a worker has dropped its report because its want was given to another worker.
func (m *Metadata) LostSignal() *testsignal.Signal { return &m.signals.lost }

// Commit records a report on a want, as the worker with a lease.
func Commit(ctx context.Context, log *eventstore.Log, key []byte, holder [16]byte, report *fetch.Report) (settled, lost bool, err error) {
	body, err := report.Encode()
	if err != nil {
		return false, false, err
	}
	f := &finishedAttempt{ctx: ctx, lease: &lease{key: key, holder: holder}, report: report, incoming: incoming(report, body)}
	all, err := newRecorder(Config{Log: log}.withDefaults(), newMetrics(nil)).commit(ctx, []*finishedAttempt{f})
	reason, settled := all[f]
	return settled, errors.Is(reason, errLost), err
}
