package eventstore

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Wake tells waiting readers that there may be something new: at once when a NOTIFY arrives, and every Interval in
// any case, because notifications don't pass a transaction pooler or a replica. A wake-up is a hint; whoever wakes
// looks, and may find nothing.
type Wake struct {
	pool     *pgxpool.Pool
	channel  string
	interval time.Duration
	logger   *slog.Logger

	mu      sync.Mutex
	signal  chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

// WakeIntervalDefault is how often readers look without being told.
const WakeIntervalDefault = time.Second

// NewWake listens on a channel until Stop.
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

// Stop ends the listening and wakes everybody a last time. It may be called twice.
func (w *Wake) Stop() {
	w.stop()
	<-w.stopped
}

// C is closed at the next wake-up. Take it before looking for new events, so that none slips between.
func (w *Wake) C() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.signal
}

// Wait blocks until c, taken with C, is closed, the interval is over, or ctx ends.
func (w *Wake) Wait(ctx context.Context, c <-chan struct{}) {
	timer := time.NewTimer(w.interval)
	defer timer.Stop()
	select {
	case <-c:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Signal wakes everybody in this process, for whoever knows before the database tells.
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
			w.logger.LogAttrs(ctx, slog.LevelWarn, "listening was interrupted; polling until it works again",
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
	// The connection leaves the pool: it listens, and must not come back to somebody who doesn't expect that.
	raw := conn.Hijack()
	defer func() { _ = raw.Close(context.WithoutCancel(ctx)) }()
	if _, err := raw.Exec(ctx, "LISTEN "+w.channel); err != nil {
		return err
	}
	w.Signal() // what was committed before LISTEN took effect
	for {
		if _, err := raw.WaitForNotification(ctx); err != nil {
			return err
		}
		w.Signal()
	}
}
