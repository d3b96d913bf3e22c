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
)

// WatchConfig is what a Watch needs. The zero value of any field but Pool means its default.
type WatchConfig struct {
	// Pool is the database that requests read, so that no more is known than they can find there.
	Pool *pgxpool.Pool
	// Signal, if any, gives the channel that is closed at the next sign that something may have changed; nothing
	// depends on it but how soon a change is seen.
	Signal func() <-chan struct{}
	// Interval at which to look in any case; default 100 ms.
	Interval time.Duration
	// Patience is how long a state is good for without being confirmed; default 2 s.
	Patience time.Duration
	// Logger for when the database can't be read; default none.
	Logger *slog.Logger
	// Changed is called after each change of the state; default nothing.
	Changed func()
}

// Defaults of WatchConfig.
const (
	IntervalDefault = 100 * time.Millisecond
	PatienceDefault = 2 * time.Second
)

// How often it looks at most when signs come all the time, and how many times in a row without a pause.
const (
	looksPerSecond = 50
	looksBurst     = 20
)

// Watch keeps a State up to date. It is safe for concurrent use.
type Watch struct {
	config WatchConfig
	known  atomic.Pointer[known]
	since  time.Time // what confirmed counts from
	// confirmed is when the state was last found to be so, in nanoseconds.
	confirmed atomic.Int64
	hint      chan struct{}
	pace      *rate.Limiter
}

// known is a state with all shards of its active versions.
type known struct {
	state  *State
	shards map[string]*pages
}

// NewWatch prepares a watch; Run makes it see.
func NewWatch(config WatchConfig) *Watch {
	if config.Interval <= 0 {
		config.Interval = IntervalDefault
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
	return &Watch{config: config, since: time.Now(), hint: make(chan struct{}, 1), pace: rate.NewLimiter(looksPerSecond, looksBurst)}
}

// State is what the database held a moment ago; nil when that is not known, or was not confirmed for too long. now is
// the current time.
func (w *Watch) State(now time.Time) *State {
	k := w.known.Load()
	if k == nil || now.Sub(w.since)-time.Duration(w.confirmed.Load()) > w.config.Patience {
		return nil
	}
	return k.state
}

// Look makes Run look now: somebody has seen more than State has.
func (w *Watch) Look() {
	select {
	case w.hint <- struct{}{}:
	default:
	}
}

// Run watches until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	wait, failing := time.Duration(0), false
	for w.pace.Wait(ctx) == nil {
		signal := w.config.Signal() // before looking, so that no sign is missed in between
		changed, err := w.look(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			w.config.Logger.LogAttrs(ctx, slog.LevelWarn, "the state of the projections can't be read; reads go to the database until it can", slog.Any("error", err))
		}
		if err == nil && failing {
			w.config.Logger.LogAttrs(ctx, slog.LevelInfo, "the state of the projections can be read again")
		}
		failing = err != nil
		if changed {
			wait = 0
		}
		// After a sign that led to nothing it may be that this is a replica which is about to have what was
		// announced: look again soon, then ever less often.
		wait = min(max(2*wait, 5*time.Millisecond), w.config.Interval)
		timer := time.NewTimer(wait)
		select {
		case <-signal:
			wait = 0
		case <-w.hint:
			wait = 0
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// look reads the state and says whether it is another one.
func (w *Watch) look(ctx context.Context) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, w.config.Patience)
	defer cancel()
	started := time.Since(w.since)
	before := w.known.Load()
	now, err := read(ctx, w.config.Pool, before)
	if err != nil {
		return false, fmt.Errorf("read the register of projections: %w", err)
	}
	changed = before == nil || before.state.LogSize != now.state.LogSize || before.state.Digest != now.state.Digest || before.state.Archive != now.state.Archive
	if changed {
		w.known.Store(now)
		w.config.Changed()
	}
	w.confirmed.Store(int64(started))
	return changed, nil
}

// read reads a state in one round trip; of the shards only what has changed since before.
func read(ctx context.Context, pool *pgxpool.Pool, before *known) (*known, error) {
	var epochs [][16]byte
	var positions []int64
	if before != nil {
		for _, v := range before.state.active {
			epochs, positions = append(epochs, v.Epoch), append(positions, v.Position)
		}
	}
	changes := map[string][]change{}
	b := &pgx.Batch{}
	b.Queue(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	now := &known{state: queue(b), shards: map[string]*pages{}}
	b.Queue(`
		SELECT p.name, s.shard, s.position
		FROM strata.active a
		JOIN strata.projection p USING (name, version)
		-- A version that is less advanced than before is on another server: nothing is known of that.
		LEFT JOIN unnest($1::uuid[], $2::bigint[]) AS known (epoch, position) ON known.epoch = p.epoch AND known.position <= p.position
		CROSS JOIN LATERAL (
			SELECT s.shard, s.position FROM strata.shard s
			WHERE s.name = p.name AND s.version = p.version AND s.position > coalesce(known.position, 0)
			OFFSET 0 -- keeps Postgres from joining the whole table: few shards are above a position, and an index has these
		) s`, epochs, positions).Query(func(rows pgx.Rows) error {
		var name string
		var c change
		_, err := pgx.ForEachRow(rows, []any{&name, &c.shard, &c.position}, func() error {
			changes[name] = append(changes[name], c)
			return nil
		})
		return err
	})
	b.Queue(`COMMIT`)
	if err := pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	for name, v := range now.state.active {
		shards := &pages{}
		if before != nil {
			if w := before.state.active[name]; w != nil && w.Epoch == v.Epoch && w.Position <= v.Position {
				shards = before.shards[name]
			}
		}
		shards = shards.with(changes[name])
		now.shards[name], v.changed = shards, shards.at
	}
	return now, nil
}
