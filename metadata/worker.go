package metadata

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"strata/domain/fetch"
	"strata/internal/testsignal"
	"strata/metadata/internal/jobqueue"
	"strata/metadata/internal/noderead"
)

// worker works on jobs. Each job is one attempt at a want.
type worker struct {
	river.WorkerDefaults[task]
	config   Config
	reader   *noderead.Reader
	slots    jobqueue.Slots
	loader   *loader
	recorder *recorder
	metrics  *metrics
	lost     *testsignal.Signal // sent when a report is dropped because of errLost
}

// Pauses before a job is tried again after a failure on this side.
const (
	retryAfter       = time.Second
	retryUnavailable = 10 * time.Second // after ErrUnavailable
	retryFull        = 5 * time.Second  // while the disk of the database is almost full
)

// NextRetry implements river.Worker. The pause does not grow, because all errors of a job are temporary.
func (w *worker) NextRetry(*river.Job[task]) time.Time { return time.Now().Add(retryAfter) }

// loadedWantMaxAge is the time after which a worker reads a want again before it makes the requests. A worker only
// waits that long for a slot if the attempts before it are slow.
const loadedWantMaxAge = time.Second

// Work makes one attempt and returns when its report is recorded. It then returns jobqueue.RecordedError. After any other error
// there is no report, and River tries the job again.
func (w *worker) Work(ctx context.Context, job *river.Job[task]) error {
	if w.config.Full() {
		return river.JobSnooze(retryFull)
	}
	// Loading comes before waiting for a slot, so that slots are only held during requests.
	loaded := time.Now()
	want, ok, err := w.load(ctx, job)
	if err != nil || !ok {
		return err
	}
	releaseSlot, ok := w.slots.Acquire(ctx, job.Queue, w.config.slotTimeout())
	if !ok {
		return river.JobSnooze(retryAfter)
	}
	defer releaseSlot()
	if time.Since(loaded) > loadedWantMaxAge {
		if want, ok, err = w.load(ctx, job); err != nil || !ok {
			return err
		}
	}
	report, err := w.attempt(ctx, want)
	switch {
	case errors.Is(err, ErrUnavailable):
		w.config.Logger.LogAttrs(ctx, slog.LevelWarn, "storing an image failed; retrying", slog.Any("error", err))
		return river.JobSnooze(retryUnavailable)
	case err != nil:
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx) // the requests were cut short, so there is no result
	}
	report.Attempt = job.Args.Revision.Attempts + 1
	if err := w.leaveOut(ctx, want.schema, report); err != nil {
		// The report is recorded whole, once the database can be written again: to lose it would take the same requests again.
		w.config.Logger.LogAttrs(ctx, slog.LevelWarn, "can't compare a report with the one before; it is recorded whole", slog.Any("error", err))
	}
	w.metrics.observe(report)
	release, err := w.recorder.admit(ctx, report)
	if err != nil {
		return err
	}
	defer release()
	releaseSlot() // not earlier, because the slots bound the memory of reports that are not admitted yet
	err = w.recorder.record(ctx, job, want.contract, report)
	if errors.Is(err, errLost) {
		w.lost.Send()
		// River can't tell the runs of a job apart, so the result of this run applies to the other run. The snooze
		// gives the other run time to end. Unless the other run records its report, there is then one undisturbed run.
		return river.JobSnooze(w.config.jobTimeout())
	}
	if err != nil {
		return err
	}
	return jobqueue.RecordedError{}
}

// load reads the want of a job. ok is false if there is nothing to do.
func (w *worker) load(ctx context.Context, job *river.Job[task]) (want loadedWant, ok bool, err error) {
	want, ok, err = w.loader.load(ctx, job.Args)
	var malformed *wantError
	if errors.As(err, &malformed) {
		w.config.Logger.LogAttrs(ctx, slog.LevelError, "skipping a malformed want", slog.Any("error", err))
		return want, false, nil
	}
	return want, ok, err
}

// attempt makes the requests for a want, and returns a report without its number.
func (w *worker) attempt(ctx context.Context, loaded loadedWant) (*fetch.Report, error) {
	report := &fetch.Report{Want: loaded.want, StartedAt: time.Now().UTC()}
	limited, cancel := context.WithTimeout(ctx, w.config.AttemptTimeout)
	defer cancel()
	var err error
	switch loaded.want.Kind {
	case fetch.ContractRead, fetch.ContractInterface:
		if loaded.tip == nil || loaded.tip.Height < loaded.minHeight {
			return nil, river.JobSnooze(retryAfter) // in the middle of a reorganisation
		}
		report.Tip = loaded.tip
		report.Exchanges, err = w.reader.Contract(limited, loaded.want, *loaded.tip)
	case fetch.Document:
		report.Exchanges, err = w.getResource(limited, loaded.want.URI, w.config.DocumentLimit, acceptDocument)
	case fetch.Attachment:
		report.Exchanges, err = w.reader.Attachment(limited, loaded.want)
	case fetch.Image:
		if report.Exchanges, err = w.getResource(limited, loaded.want.URI, w.config.ImageLimit, acceptImage); err == nil {
			err = w.storeImage(ctx, report)
		}
	}
	if err != nil {
		return nil, err
	}
	report.FinishedAt = time.Now().UTC()
	return report, nil
}
