package register

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/time/rate"

	"strata/domain/commit"
)

// WatchConfig configures a Watch. The zero value of any field but Pool means its default.
type WatchConfig struct {
	// Pool connects to the database that requests read, so that the state is never ahead of what they find there.
	Pool *pgxpool.Pool
	// Apart makes Run open a connection of its own as Pool would, so that the watch does not queue behind the requests
	// that use those of Pool.
	Apart bool
	// Signal returns a channel that is closed at the next sign that something may have changed; default none. It affects
	// only how soon a change is seen.
	Signal func() <-chan struct{}
	// Feed, if set, hands over what transactions have changed, after they have committed to the database of Pool. They
	// are not looked up, and need no Signal.
	Feed *commit.Feed
	// Late says that what signs tell arrives here later, as on a replica, so that it is worth to look again soon; default:
	// whether the database is a replica.
	Late bool
	// Interval is the interval at which to look in any case; default 1 s with Signal, else 100 ms.
	Interval time.Duration
	// Patience is how long a state remains valid without being confirmed; default 2 s.
	Patience time.Duration
	// Logger is told when the database can't be read, and when it can again; default none.
	Logger *slog.Logger
	// Changed is called after each change of the state; default none.
	Changed func()
}

// Defaults of WatchConfig.
const (
	IntervalDefault      = time.Second
	IntervalWithoutSigns = 100 * time.Millisecond
	PatienceDefault      = 2 * time.Second
)

// Limits for when signs come all the time.
const (
	looksPerSecond = 50
	looksBurst     = 20 // looks in a row without a pause
)

// Watch keeps a State up to date. It is safe for concurrent use.
type Watch struct {
	config WatchConfig
	known  atomic.Pointer[State]
	since  time.Time // the origin of confirmed
	// confirmed is when the state was last confirmed, in nanoseconds after since.
	confirmed atomic.Int64
	hint      chan struct{}
	next      atomic.Pointer[chan struct{}] // closed at the next change
	published <-chan struct{}               // of the feed; nil without one
	pace      *rate.Limiter
}

// NewWatch returns a watch. It knows no state before Run runs.
func NewWatch(config WatchConfig) *Watch {
	if config.Interval <= 0 {
		config.Interval = IntervalDefault
		if config.Signal == nil {
			config.Interval = IntervalWithoutSigns
		}
	}
	if config.Patience <= 0 {
		config.Patience = PatienceDefault
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Signal == nil {
		config.Signal = func() <-chan struct{} { return nil }
	}
	if config.Changed == nil {
		config.Changed = func() {}
	}
	w := &Watch{
		config: config, since: time.Now(), hint: make(chan struct{}, 1), pace: rate.NewLimiter(looksPerSecond, looksBurst),
	}
	next := make(chan struct{})
	w.next.Store(&next)
	if config.Feed != nil {
		w.published = config.Feed.C()
	}
	return w
}

// State returns the state of the database a moment ago; nil if it is unknown, or was not confirmed within
// WatchConfig.Patience. now is the current time.
func (w *Watch) State(now time.Time) *State {
	s := w.known.Load()
	if s == nil || now.Sub(w.since)-time.Duration(w.confirmed.Load()) > w.config.Patience {
		return nil
	}
	return s
}

// LastState returns the last known state of the database, however long ago that was; nil if none is known. An answer
// that belongs to it is right for the position that it names.
func (w *Watch) LastState() *State { return w.known.Load() }

// Age returns how long ago the state was last confirmed; 0 if none is known.
func (w *Watch) Age(now time.Time) time.Duration {
	if w.known.Load() == nil {
		return 0
	}
	return max(now.Sub(w.since)-time.Duration(w.confirmed.Load()), 0)
}

// Look makes Run look now, because a request has seen a newer state.
func (w *Watch) Look() {
	select {
	case w.hint <- struct{}{}:
	default:
	}
}

// Next returns a channel that is closed at the next change of the state. One that is got before LastState misses none.
func (w *Watch) Next() <-chan struct{} { return *w.next.Load() }

// learn makes a state the last known one, and tells everybody who waits for the next.
func (w *Watch) learn(s *State) {
	w.known.Store(s)
	next := make(chan struct{})
	close(*w.next.Swap(&next))
	w.config.Changed()
}

// WaitForState waits until the last known state is no less advanced than one that a request has read, so that no later answer of
// this process shows an earlier block than the one to that request. It gives up after WatchConfig.Patience, and on a replica
// after coverPatience, as the database may be several servers of which the watch sees a late one. It does not wait if no
// state is known.
func (w *Watch) WaitForState(ctx context.Context, seen *State) {
	if w.covers(seen) {
		return
	}
	patience := w.config.Patience // what was read is there, however long a busy machine takes to look
	if w.late() {
		patience = coverPatience
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		next := w.Next()
		if w.covers(seen) {
			return
		}
		w.Look()
		select {
		case <-next:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// coverPatience is much longer than a look at a replica takes that is up to date.
const coverPatience = 100 * time.Millisecond

func (w *Watch) covers(seen *State) bool {
	last := w.LastState()
	return last == nil || last.Covers(seen)
}

// Run watches until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	if w.config.Apart {
		own, err := apart(ctx, w.config.Pool)
		if err == nil {
			defer own.Close()
			w.config.Pool = own
		} else { // the configuration has opened a pool before, so this can't happen
			w.config.Logger.LogAttrs(ctx, slog.LevelWarn, "can't open a connection for the state of the projections alone; it shares those of requests", slog.Any("error", err))
		}
	}
	wait, failing := time.Duration(0), false
	for w.pace.Wait(ctx) == nil {
		signal := w.config.Signal() // before looking, so that no sign is missed in between
		changed, err := w.look(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			w.config.Logger.LogAttrs(ctx, slog.LevelWarn, "can't read the state of the projections; serving cached answers of the last known state until it can be read",
				slog.Any("error", err))
		}
		if err == nil && failing {
			w.config.Logger.LogAttrs(ctx, slog.LevelInfo, "the state of the projections can be read again")
		}
		failing = err != nil
		if changed {
			wait = 0
		}
		if err == nil && !w.late() {
			wait = w.config.Interval // what the sign told is there
		}
		// If a sign brought no change on a replica, it may not have received the announced change yet: look again soon, then
		// ever less often.
		wait = min(max(2*wait, 5*time.Millisecond), w.config.Interval)
		if w.await(ctx, signal, wait) {
			wait = 0
		}
	}
}

// apart returns a pool of one connection, opened as pool opens them, and of a second one while the first, which no longer answers, is
// being closed: that takes a quarter of a minute.
func apart(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Pool, error) {
	config := pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = 2, 0, 0
	return pgxpool.NewWithConfig(ctx, config)
}

// await waits until it is time to look, and applies what the feed hands over meanwhile. It reports whether there was a
// sign that something has changed.
func (w *Watch) await(ctx context.Context, signal <-chan struct{}, most time.Duration) (signed bool) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		select {
		case <-signal:
			return true
		case <-w.hint:
			return true
		case <-w.published:
			if !w.apply() {
				return true
			}
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// apply moves the state on by what the feed has. It returns false if the database must be read instead.
func (w *Watch) apply() bool {
	transactions, complete := w.config.Feed.Take()
	now := w.known.Load()
	if !complete || now == nil || now.Replica {
		return false
	}
	for _, moves := range transactions {
		next, ok := now.after(moves)
		if !ok {
			return false
		}
		now = next
	}
	w.learn(now)
	return true
}

// late reports whether the database may not have yet what a sign told.
func (w *Watch) late() bool {
	s := w.known.Load()
	return w.config.Late || s != nil && s.Replica
}

// look reads the state and reports whether it has changed.
func (w *Watch) look(ctx context.Context) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, w.config.Patience)
	defer cancel()
	started := time.Since(w.since)
	before := w.known.Load()
	now, err := read(ctx, w.config.Pool, before)
	if err != nil {
		return false, fmt.Errorf("read the register of projections: %w", err)
	}
	changed = before == nil || before.LogSize != now.LogSize || before.Digest != now.Digest || before.Archive != now.Archive
	if changed {
		w.learn(now)
	}
	w.confirmed.Store(int64(started))
	return changed, nil
}

// read reads a state in one round trip. Of the changed shards it reads only those that have changed since the state before.
func read(ctx context.Context, pool *pgxpool.Pool, before *State) (*State, error) {
	b := &pgx.Batch{}
	b.Queue(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	now := queue(b)
	now.queueChanges(b, nil, before)
	b.Queue(`COMMIT`)
	if err := pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	return now, nil
}
