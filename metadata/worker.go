package metadata

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"strata/domain/fetch"
)

// worker does jobs.
type worker struct {
	river.WorkerDefaults[task]
	config   Config
	nodes    *nodes
	client   *nodeClient
	turns    turns
	loader   *loader
	recorder *recorder
	metrics  *metrics
}

// Pauses before a job is tried again, whose failure was this side's.
const (
	retryAfter       = time.Second
	retryUnavailable = 10 * time.Second // images can't be kept
)

// NextRetry makes no difference between the first failure and later ones: they are all of the kind that passes.
func (w *worker) NextRetry(*river.Job[task]) time.Time { return time.Now().Add(retryAfter) }

// loadedFor is how long what was read of a want is good for. A worker waits longer for its turn only when those before it
// take long.
const loadedFor = time.Second

// Work makes one attempt and returns when it is recorded. An error means that it left no trace, and is made again; but
// recorded is none.
func (w *worker) Work(ctx context.Context, job *river.Job[task]) error {
	// While others have their turn, so that a turn is no longer than its requests.
	loaded := time.Now()
	found, ok, err := w.load(ctx, job)
	if err != nil || !ok {
		return err
	}
	endTurn, ok := w.turns.take(ctx, job.Queue, w.config.turnTimeout())
	if !ok {
		return river.JobSnooze(retryAfter)
	}
	defer endTurn()
	if time.Since(loaded) > loadedFor {
		if found, ok, err = w.load(ctx, job); err != nil || !ok {
			return err
		}
	}
	report, err := w.attempt(ctx, found)
	switch {
	case errors.Is(err, ErrUnavailable):
		w.config.Logger.LogAttrs(ctx, slog.LevelWarn, "an image can't be kept now; trying again", slog.Any("error", err))
		return river.JobSnooze(retryUnavailable)
	case err != nil:
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx) // the requests were cut short, which is no result
	}
	report.Attempt = job.Args.Raising.Attempts + 1
	w.metrics.observe(report)
	release, err := w.recorder.admit(ctx, report)
	if err != nil {
		return err
	}
	defer release()
	endTurn() // not before: a report that is not admitted yet is in nobody's count of bytes
	err = w.recorder.record(ctx, job, report)
	if errors.Is(err, errLost) {
		// River can't tell the runs of a job apart, so what this one returns happens to the other. It is given the time
		// to end; then there is one run, undisturbed, unless the other could record.
		return river.JobSnooze(w.config.jobTimeout())
	}
	if err != nil {
		return err
	}
	return recorded{}
}

// load reads the want of a job. It is not ok when there is nothing to do.
func (w *worker) load(ctx context.Context, job *river.Job[task]) (found wanted, ok bool, err error) {
	found, ok, err = w.loader.load(ctx, job.Args)
	var unreadable *wantError
	if errors.As(err, &unreadable) {
		w.config.Logger.LogAttrs(ctx, slog.LevelError, "a want is not as it should be; it is left alone", slog.Any("error", err))
		return found, false, nil
	}
	return found, ok, err
}

// attempt makes the requests.
func (w *worker) attempt(ctx context.Context, found wanted) (*fetch.Report, error) {
	report := &fetch.Report{Want: found.want, StartedAt: time.Now().UTC()}
	limited, cancel := context.WithTimeout(ctx, w.config.AttemptTimeout)
	defer cancel()
	var err error
	switch kind := found.want.Kind; kind {
	case fetch.ContractRead, fetch.ContractInterface:
		if found.tip == nil || found.tip.Height < found.minHeight {
			return nil, river.JobSnooze(retryAfter) // in the middle of a reorganisation
		}
		report.Tip = found.tip
		report.Exchanges, err = w.askNodes(limited, found.want, *found.tip)
	case fetch.Document:
		report.Exchanges = w.getResource(limited, found.want.URI, w.config.DocumentLimit, acceptDocument)
	case fetch.Image:
		report.Exchanges = w.getResource(limited, found.want.URI, w.config.ImageLimit, acceptImage)
		err = w.keepImage(ctx, report)
	}
	if err != nil {
		return nil, err
	}
	report.FinishedAt = time.Now().UTC()
	return report, nil
}
