package eventstore

import (
	"context"
	"log/slog"
	"strconv"
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

	pool     *pgxpool.Pool
	channel  string
	interval time.Duration
	logger   *slog.Logger

	announced atomic.Int64
	ignored   atomic.Pointer[string]

	mu      sync.Mutex
	signal  chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

// WakeIntervalDefault is the longest time that a reader waits without a notification.
const WakeIntervalDefault = time.Second

// NewWake starts to listen on a notification channel of Postgres, until Stop. An interval of 0 means
// WakeIntervalDefault. A nil logger discards.
func NewWake(pool *pgxpool.Pool, channel string, interval time.Duration, logger *slog.Logger) *Wake {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	w := &Wake{
		pool:     pool,
		channel:  channel,
		interval: orDefault(interval, WakeIntervalDefault),
		logger:   logger,
		signal:   make(chan struct{}),
		stop:     stop,
		stopped:  make(chan struct{}),
	}
	go w.run(ctx)
	return w
}

// Stop stops listening and wakes all readers a last time. It may be called twice.
func (w *Wake) Stop() {
	w.stop()
	<-w.stopped
}

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

func (w *Wake) run(ctx context.Context) {
	defer close(w.stopped)
	defer w.Signal()
	for ctx.Err() == nil {
		if err := w.listen(ctx); err != nil && ctx.Err() == nil {
			w.logger.LogAttrs(ctx, slog.LevelWarn, "can't listen for notifications; polling until it works again",
				slog.String("channel", w.channel), slog.Any("error", err))
			w.Wait(ctx, nil)
		}
	}
}

func (w *Wake) listen(ctx context.Context) error {
	conn, err := w.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	// Take the connection out of the pool: nobody else expects a connection that listens.
	raw := conn.Hijack()
	defer func() { _ = raw.Close(context.WithoutCancel(ctx)) }()
	if _, err := raw.Exec(ctx, "LISTEN "+w.channel); err != nil {
		return err
	}
	w.Signal() // there may be commits from before LISTEN took effect
	defer w.announced.Store(0)
	for {
		notification, err := raw.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if number, err := strconv.ParseInt(notification.Payload, 10, 64); err == nil {
			w.announced.Store(max(number, w.announced.Load()))
		}
		if ignored := w.ignored.Load(); ignored == nil || notification.Payload != *ignored {
			w.Signal()
		}
	}
}
