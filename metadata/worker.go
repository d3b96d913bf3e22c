package metadata

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"strata/domain/fetch"
	"strata/internal/pause"
	"strata/internal/testsignal"
	"strata/metadata/internal/noderead"
)

// worker makes attempts at wants, one with each lease.
type worker struct {
	config   Config
	reader   *noderead.Reader
	slots    map[lane]*semaphore.Weighted // how many make requests at the same time
	recorder *recorder
	metrics  *metrics
	lost     *testsignal.Signal // sent when a report is dropped because of errLost
}

// Pauses before a want is tried again after a failure on this side. They do not grow, because all these failures are temporary.
const (
	retryAfter       = time.Second
	retryUnavailable = 10 * time.Second // after ErrUnavailable
	retryFull        = 5 * time.Second  // while the disk of the database is almost full
)

// postponed is the error of an attempt without a result, which is made again after a wait.
type postponed struct{ wait time.Duration }

func (p postponed) Error() string { return fmt.Sprintf("the want is put off for %s", p.wait) }

// endTimeout bounds the statement that ends a lease without a report.
const endTimeout = 5 * time.Second

// work makes one attempt and returns when its report is recorded, or the want is put off. Once ctx is done, no more requests
// begin; those in progress are cut short when grace is done.
func (w *worker) work(ctx, grace context.Context, l *lease) {
	err := w.fetch(ctx, grace, l)
	switch {
	case err == nil:
		return
	case errors.Is(err, errLost):
		w.lost.Send()
		return
	}
	off := postponed{retryAfter}
	if !errors.As(err, &off) {
		w.config.Logger.LogAttrs(ctx, slog.LevelDebug, "no result of a want; retrying", slog.Any("error", err))
		if ctx.Err() != nil {
			off.wait = 0 // another process may take it at once
		}
	}
	for w.putOff(l, off.wait) != nil && ctx.Err() == nil { // if the role stops before the database is there again, the lease runs out
		pause.For(ctx, pauseFailed)
	}
}

func (w *worker) putOff(l *lease, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	return l.putOff(ctx, w.config.Log.Pool(), wait)
}

// wantMaxAge is the time after which a worker reads a want again before it makes the requests. A worker only waits that long for
// its turn if the attempts before it are slow.
const wantMaxAge = time.Second

// fetch makes one attempt. Unless it returns an error, the report is recorded and the lease done.
func (w *worker) fetch(ctx, grace context.Context, l *lease) error {
	working, cancel := context.WithTimeout(grace, w.config.workTimeout())
	defer cancel()
	release, err := w.acquireSlot(ctx, l.lane)
	if err != nil {
		return err
	}
	defer release()
	if w.config.Full() {
		return postponed{retryFull}
	}
	if time.Since(l.readAt) > wantMaxAge {
		if open, err := l.readAgain(working, w.config.Log.Pool()); err != nil {
			return err
		} else if !open {
			return postponed{} // another projection may have the same revision
		}
	}
	if l.malformed != nil {
		w.config.Logger.LogAttrs(ctx, slog.LevelError, "skipping a malformed want",
			slog.String("schema", l.source.schema), slog.String("key_hash", hex.EncodeToString(l.key)), slog.Any("error", l.malformed))
		return postponed{retention}
	}
	report, err := w.attempt(working, l)
	switch {
	case errors.Is(err, ErrUnavailable):
		w.config.Logger.LogAttrs(ctx, slog.LevelWarn, "storing an image failed; retrying", slog.Any("error", err))
		return postponed{retryUnavailable}
	case err != nil:
		return err
	case working.Err() != nil:
		return context.Cause(working) // the requests were cut short, so there is no result
	}
	if err := w.leaveOut(working, l.source.schema, report); err != nil {
		// The report is recorded whole, once the database can be written again: to lose it would take the same requests again.
		w.config.Logger.LogAttrs(ctx, slog.LevelWarn, "can't compare a report with the one before; it is recorded whole", slog.Any("error", err))
	}
	w.metrics.observe(report)
	releaseMemory, err := w.recorder.admit(working, report)
	if err != nil {
		return err
	}
	defer releaseMemory()
	release() // not earlier, because the slots bound the memory of reports that are not admitted yet
	return w.recorder.record(working, l, report)
}

// acquireSlot waits for a worker's turn to make requests. The caller must call release, and may call it twice.
func (w *worker) acquireSlot(ctx context.Context, l lane) (release func(), err error) {
	limited, cancel := context.WithTimeout(ctx, w.config.slotTimeout())
	defer cancel()
	switch err := w.slots[l].Acquire(limited, 1); {
	case ctx.Err() != nil && err != nil:
		return nil, err
	case err != nil:
		return nil, postponed{retryAfter}
	}
	return sync.OnceFunc(func() { w.slots[l].Release(1) }), nil
}

// attempt makes the requests for a want, and returns the report.
func (w *worker) attempt(ctx context.Context, l *lease) (report *fetch.Report, err error) {
	defer func() {
		if p := recover(); p != nil { // what comes from strangers must not end the process
			report, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			w.config.Logger.LogAttrs(ctx, slog.LevelError, "an attempt failed; retrying", slog.Any("error", err))
		}
	}()
	report = &fetch.Report{Want: l.want, Attempt: l.attempts + 1, StartedAt: time.Now().UTC()}
	limited, cancel := context.WithTimeout(ctx, w.config.AttemptTimeout)
	defer cancel()
	var wait time.Duration
	switch l.want.Kind {
	case fetch.ContractRead, fetch.ContractInterface:
		if l.tip == nil || l.tip.Height < l.minHeight {
			return nil, postponed{retryAfter} // in the middle of a reorganisation
		}
		report.Tip = l.tip
		report.Exchanges, wait = w.reader.Contract(limited, l.want, *l.tip)
	case fetch.Document:
		report.Exchanges, wait = w.getResource(limited, l.want.URI, w.config.DocumentLimit, acceptDocument, isDocument)
	case fetch.Attachment:
		report.Exchanges, wait = w.reader.Attachment(limited, l.want)
	case fetch.Image:
		wait, err = w.getImage(ctx, limited, report)
	}
	switch {
	case wait > 0:
		return nil, postponed{wait}
	case err != nil:
		return nil, err
	}
	report.FinishedAt = time.Now().UTC()
	return report, nil
}
