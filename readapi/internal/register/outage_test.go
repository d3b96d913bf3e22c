package register_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/migrations"
	"strata/readapi/internal/register"
)

// journal is what was logged.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, string(line))
	return len(line), nil
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

func (j *journal) records() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

func (j *journal) count(level string) (n int) {
	for _, line := range j.records() {
		if strings.Contains(line, "level="+level+" ") {
			n++
		}
	}
	return n
}

func known(watch *register.Watch) bool { return watch.State(time.Now()) != nil }

func unknown(watch *register.Watch) func() bool { return func() bool { return !known(watch) } }

// A database that is away, or does not answer, makes the state unknown until it is back, and is mentioned once.
func TestOutage(t *testing.T) {
	short.Skip(t, "starts a server of its own")
	t.Parallel()
	server := pgtest.Dedicated(t)
	must.Do(t, migrations.Up(t.Context(), server.URL()))
	pool := server.New(t)
	w := newWriter(t, pool, 0)
	chain := w.register("chain", 1)
	log := &journal{}
	own, attempts := countAttempts(t, server.URL())
	watch, _ := run(t, register.WatchConfig{Pool: own, Interval: 10 * time.Millisecond, Patience: 3 * time.Second, Logger: log.logger()})
	eventually.Holds(t, "there is a state", sees(watch, 0))

	outages := 0
	back := func(name string) {
		t.Helper()
		w.advance(chain)
		eventually.Holds(t, name+" is over", sees(watch, chain.position))
		if difference := portray(t, watch.State(time.Now())).differs(portray(t, read(t, pool, "chain"))); difference != "" {
			t.Errorf("%s: the watch, and a transaction: %s", name, difference)
		}
		outages++
		eventually.Holds(t, "the end of "+name+" is mentioned", func() bool { return log.count("INFO") == outages })
		if log.count("WARN") != outages || len(log.records()) != 2*outages {
			t.Errorf("%s: got %q, want one WARN and one INFO for each of %d outages", name, log.records(), outages)
		}
	}
	for name, end := range map[string]func(testing.TB){"a stop": server.Stop, "a crash": server.Kill} {
		end(t)
		eventually.Holds(t, "the state is not known after "+name, unknown(watch))
		if watch.LastState() == nil || watch.Age(time.Now()) < 3*time.Second {
			t.Errorf("after %s: the last known state is %v, %v old", name, watch.LastState(), watch.Age(time.Now()))
		}
		eventually.Holds(t, name+" is mentioned", func() bool { return log.count("WARN") == outages+1 })
		before := attempts.Load() // it fails again and again, and says no more
		eventually.Holds(t, "it tries again", func() bool { return attempts.Load() > before+3 })
		if got := log.records(); len(got) != 2*outages+1 {
			t.Errorf("%s: got %q, want one WARN for an outage that lasts", name, got)
		}
		server.Start(t)
		eventually.Holds(t, "the database is back", func() bool { return pool.Ping(context.Background()) == nil })
		back(name)
	}

	unlock := lock(t, pool)
	eventually.Holds(t, "the state is not known while the database does not answer", unknown(watch))
	eventually.Holds(t, "silence is mentioned", func() bool { return log.count("WARN") == outages+1 })
	unlock()
	back("silence")
}

// countAttempts returns a pool, and how often it has tried to connect.
func countAttempts(t *testing.T, url string) (*pgxpool.Pool, *atomic.Int64) {
	t.Helper()
	config := must.Get(pgxpool.ParseConfig(url))(t)
	attempts := &atomic.Int64{}
	config.BeforeConnect = func(context.Context, *pgx.ConnConfig) error {
		attempts.Add(1)
		return nil
	}
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	pgtest.AtEnd(t, pool.Close)
	return pool, attempts
}

// lock keeps everybody from reading the register.
func lock(t *testing.T, pool *pgxpool.Pool) (unlock func()) {
	t.Helper()
	tx := must.Get(pool.Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), `LOCK TABLE strata.projection`))(t)
	return func() {
		must.Do(t, tx.Rollback(t.Context()))
	}
}

// A state is good for the patience from when it was asked for, whether it has changed since or not.
func TestPatience(t *testing.T) {
	t.Parallel()
	w := newWriter(t, databases.New(t), 0)
	w.register("chain", 1)
	pool := databases.New(t)
	const patience = time.Hour
	began := time.Now()
	watch, stop := run(t, register.WatchConfig{Pool: pool, Interval: time.Millisecond, Patience: patience})
	eventually.Holds(t, "there is a state", sees(watch, 0))
	first := watch.State(time.Now())
	if watch.State(began.Add(patience)) == nil {
		t.Error("the state is not known within the patience")
	}
	eventually.Holds(t, "the state is confirmed", func() bool { return looks(pool) > 5 })
	confirmed := time.Now()
	before := looks(pool)
	eventually.Holds(t, "the state is confirmed again", func() bool { return looks(pool) > before+2 })
	// Unchanged, but confirmed: it is good for longer than when it was first seen.
	if got := watch.State(confirmed.Add(patience)); got != first {
		t.Errorf("got %v for a state that was confirmed, want the first", got)
	}
	stop()
	ended := time.Now()
	if watch.State(ended) == nil {
		t.Error("the state is not known at once after the watch ended")
	}
	if got := watch.State(ended.Add(patience)); got != nil {
		t.Errorf("got a state that nobody confirmed for %s: %+v", patience, got)
	}
}
