package eventstore

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testsignal"
)

// Wake wakes waiting readers when there may be new rows: at once when a NOTIFY arrives, and otherwise once per
// interval, because notifications pass neither a transaction pooler nor a replica. A wake-up is only a hint: the
// reader looks, and may find nothing.
type Wake struct {
	// Waiting is sent whenever a reader is about to wait.
	Waiting testsignal.Signal

	channel  string
	interval time.Duration
	stop     func()

	announced atomic.Int64
	committed atomic.Int64 // the greatest number that this process has committed itself
	ignored   atomic.Pointer[string]

	mu     sync.Mutex
	signal chan struct{}
}

// WakeIntervalDefault is the longest time that a reader waits without a notification.
const WakeIntervalDefault = time.Second

// NewWake starts to listen on a notification channel of Postgres, with a connection of its own, until Stop. Those who
// listen on several channels share a connection with Listener. An interval of 0 means WakeIntervalDefault. A nil logger
// discards.
func NewWake(pool *pgxpool.Pool, channel string, interval time.Duration, logger *slog.Logger) *Wake {
	return NewListener(pool, logger).Wake(channel, interval)
}

// Stop stops listening and wakes all readers a last time. It may be called twice.
func (w *Wake) Stop() { w.stop() }

// C returns a channel that the next wake-up closes. Call it before you look for new rows: a wake-up after that is
// not lost.
func (w *Wake) C() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.signal
}

// Wait blocks until c, which C returned, is closed, or the interval has passed, or ctx ends.
func (w *Wake) Wait(ctx context.Context, c <-chan struct{}) {
	timer := time.NewTimer(w.interval)
	defer timer.Stop()
	w.Waiting.Send()
	select {
	case <-c:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Announced returns the greatest number that a notification has carried, on the log's channel the number of its events; 0
// when none has come. A reader that has read so far need not look again before the next wake-up.
func (w *Wake) Announced() int64 { return w.announced.Load() }

// Ignore makes notifications with a payload wake nobody: those of a writer in the same process, which calls Signal.
func (w *Wake) Ignore(payload string) { w.ignored.Store(&payload) }

// Signal wakes all readers of this Wake. A writer in the same process calls it to be faster than NOTIFY.
func (w *Wake) Signal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.signal)
	w.signal = make(chan struct{})
}
