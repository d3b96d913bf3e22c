package eventstore

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
)

// Listener receives the notifications of Postgres for any number of wakes, with one connection. It has the connection
// while there are wakes. It is safe for concurrent use.
type Listener struct {
	pool   *pgxpool.Pool
	logger *slog.Logger
	alone  atomic.Bool   // see Alone
	again  time.Duration // after which it tries to become the first to listen

	mu    sync.Mutex
	wakes map[*Wake]struct{}
	run   *listenerRun // nil while there are no wakes
}

// listenerRun is the goroutine of a Listener.
type listenerRun struct {
	*Listener
	changed context.CancelFunc // makes the connection listen to the channels of today's wakes; nil without a connection
	stop    context.CancelFunc
	stopped chan struct{}
}

// NewListener returns a listener without wakes. A nil logger discards.
func NewListener(pool *pgxpool.Pool, logger *slog.Logger) *Listener {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Listener{pool: pool, logger: logger, again: placeInterval, wakes: map[*Wake]struct{}{}}
}

// Wake returns a wake for a channel, until its Stop. An interval of 0 means WakeIntervalDefault.
func (l *Listener) Wake(channel string, interval time.Duration) *Wake {
	w := &Wake{channel: channel, interval: orDefault(interval, WakeIntervalDefault), signal: make(chan struct{})}
	w.stop = sync.OnceFunc(func() { l.remove(w) })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wakes[w] = struct{}{}
	if l.run == nil {
		ctx, stop := context.WithCancel(context.Background())
		l.run = &listenerRun{Listener: l, stop: stop, stopped: make(chan struct{})}
		go l.run.serve(ctx)
	} else if l.run.changed != nil {
		l.run.changed()
	}
	return w
}

// remove ends a wake, and with the last one the connection.
func (l *Listener) remove(w *Wake) {
	defer w.Signal()
	l.mu.Lock()
	delete(l.wakes, w)
	run := l.run
	if len(l.wakes) > 0 {
		if run.changed != nil {
			run.changed()
		}
		l.mu.Unlock()
		return
	}
	l.run = nil
	l.mu.Unlock()
	run.stop()
	<-run.stopped
}

// close stops all wakes: those of a part of the program that could not start are left.
func (l *Listener) close() {
	l.mu.Lock()
	left := slices.Collect(maps.Keys(l.wakes))
	l.mu.Unlock()
	for _, w := range left {
		w.Stop()
	}
}

func (r *listenerRun) serve(ctx context.Context) {
	defer close(r.stopped)
	for ctx.Err() == nil {
		if err := r.listen(ctx); err != nil && ctx.Err() == nil {
			r.logger.LogAttrs(ctx, slog.LevelWarn, "can't listen for notifications; polling until it works again", slog.Any("error", err))
			pause.For(ctx, WakeIntervalDefault)
		}
	}
}

// listen holds a connection that listens, until ctx ends or the connection is lost.
func (r *listenerRun) listen(ctx context.Context) error {
	pooled, err := r.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	// Take the connection out of the pool: nobody else expects a connection that listens.
	conn := pooled.Hijack()
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	defer r.lost()
	defer r.alone.Store(false)
	channels, known, other := map[string]bool{}, map[*Wake]bool{}, false
	for {
		unchanged, wakes := r.wanted(ctx)
		if err := listenTo(ctx, conn, channels, wakes); err != nil {
			return err
		}
		if err := r.takePlace(ctx, conn, &other); err != nil {
			return err
		}
		for _, w := range wakes {
			if !known[w] {
				known[w] = true
				w.Signal() // there may be commits from before it listened
			}
		}
		for unchanged.Err() == nil {
			if err := r.wait(unchanged, conn); err != nil {
				return err
			}
			if err := r.takePlace(ctx, conn, &other); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// wait tells of notifications until ctx ends, or it is time to try to become the first to listen.
func (r *listenerRun) wait(ctx context.Context, conn *pgx.Conn) error {
	if !r.Alone() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.again)
		defer cancel()
	}
	for {
		notification, err := conn.WaitForNotification(ctx)
		switch {
		case err == nil:
			r.tell(notification)
		case ctx.Err() == nil || conn.IsClosed():
			return err
		default:
			return nil
		}
	}
}

// wanted returns the wakes, and a context that ends when there are others.
func (r *listenerRun) wanted(ctx context.Context) (unchanged context.Context, wakes []*Wake) {
	r.mu.Lock()
	defer r.mu.Unlock()
	unchanged, r.changed = context.WithCancel(ctx)
	return unchanged, slices.SortedFunc(maps.Keys(r.wakes), func(a, b *Wake) int { return strings.Compare(a.channel, b.channel) })
}

// lost notes that nothing listens any more, so that no number that was announced can be relied on.
func (r *listenerRun) lost() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed()
	r.changed = nil
	for w := range r.wakes {
		w.announced.Store(0)
	}
}

// announce wakes those who wait on a channel, because this process has committed up to a number, before the notification
// of that comes.
func (l *Listener) announce(channel string, number int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range l.wakes {
		if w.channel != channel {
			continue
		}
		w.committed.Store(max(number, w.committed.Load()))
		if l.run.changed != nil { // it listens, so that what others commit is announced as well
			w.announced.Store(max(number, w.announced.Load()))
		}
		w.Signal()
	}
}

// tell wakes those who wait for a notification, unless this process has committed what it announces. Anybody who can connect may
// notify, so the number keeps nobody from being woken later.
func (r *listenerRun) tell(notification *pgconn.Notification) {
	number, err := strconv.ParseInt(notification.Payload, 10, 64)
	r.mu.Lock()
	defer r.mu.Unlock()
	for w := range r.wakes {
		if w.channel != notification.Channel {
			continue
		}
		if err == nil {
			if number <= w.committed.Load() {
				continue
			}
			w.announced.Store(max(number, w.announced.Load()))
		}
		if ignored := w.ignored.Load(); ignored == nil || notification.Payload != *ignored {
			w.Signal()
		}
	}
}

// listenTo makes a connection listen to the channels of wakes, and to no others.
func listenTo(ctx context.Context, conn *pgx.Conn, channels map[string]bool, wakes []*Wake) error {
	wanted := map[string]bool{}
	for _, w := range wakes {
		wanted[w.channel] = true
		if channels[w.channel] {
			continue
		}
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{w.channel}.Sanitize()); err != nil {
			return err
		}
		channels[w.channel] = true
	}
	for channel := range channels {
		if wanted[channel] {
			continue
		}
		if _, err := conn.Exec(ctx, "UNLISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return err
		}
		delete(channels, channel)
	}
	return nil
}
