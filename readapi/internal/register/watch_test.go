package register_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/readapi/internal/register"
)

// looks is how often a watch with a pool of its own has looked.
func looks(pool *pgxpool.Pool) int64 { return pool.Stat().AcquireCount() }

// sees says whether a watch has seen a position of the chain.
func sees(watch *register.Watch, position int) func() bool {
	return func() bool {
		s := watch.State(time.Now())
		return s != nil && s.Active("chain") != nil && s.Active("chain").Position == int64(position)
	}
}

// bell is a signal that a test gives.
type bell struct {
	mu    sync.Mutex
	next  chan struct{}
	asked []int64 // the looks that there had been whenever the watch took the channel
	looks func() int64
}

func newBell(pool *pgxpool.Pool) *bell {
	return &bell{next: make(chan struct{}), looks: func() int64 { return looks(pool) }}
}

func (b *bell) signal() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, b.looks())
	return b.next
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
}

// A watch that would not look for seconds looks at a sign. Without a change it has looked after 5 ms, 10 ms, … 2560 ms,
// and now waits for 5120 ms.
const (
	quietLooks = 11
	quiet      = 5120 * time.Millisecond
)

func TestSigns(t *testing.T) {
	t.Parallel()
	for name, prompt := range map[string]func(*bell, *register.Watch){
		"signal": func(b *bell, _ *register.Watch) { b.ring() },
		"look":   func(_ *bell, w *register.Watch) { w.Look(); w.Look() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWriter(t, databases.New(t), 0)
			chain := w.register("chain", 1)
			pool := databases.New(t)
			bell := newBell(pool)
			watch, stop := run(t, register.WatchConfig{Pool: pool, Signal: bell.signal, Late: true, Interval: time.Hour, Patience: time.Hour})
			position, quietAt := 0, int64(quietLooks)
			// soon lets something happen while the watch is quiet, and expects it to be seen soon. On a busy machine the watch may be
			// late, but not each time.
			soon := func(what string, happens func()) {
				t.Helper()
				for range 3 {
					eventually.Holds(t, "the watch is quiet", func() bool { return looks(pool) >= quietAt })
					position++
					happens()
					began := time.Now()
					eventually.Holds(t, what, sees(watch, position))
					took := time.Since(began)
					quietAt = looks(pool) - 1 + quietLooks
					if took < quiet/2 {
						return
					}
				}
				t.Fatalf("not within %s: %s", quiet/2, what)
			}
			soon("the change is seen after the sign", func() {
				w.advance(chain)
				prompt(bell, watch)
			})
			// After a sign that leads to nothing it looks again soon: a replica comes later than what it is told.
			soon("the change is seen that comes after its sign", func() {
				before := looks(pool)
				prompt(bell, watch)
				eventually.Holds(t, "the watch has looked for nothing", func() bool { return looks(pool) > before })
				w.advance(chain)
			})

			stop()
			for i, n := range bell.asked {
				if n != int64(i) {
					t.Fatalf("the signal was taken after %d looks, want it before each: %v", n, bell.asked)
				}
			}
		})
	}
}

// Without any sign it looks at each interval, and no more often than that when nothing happens.
func TestInterval(t *testing.T) {
	t.Parallel()
	w := newWriter(t, databases.New(t), 0)
	chain := w.register("chain", 1)
	pool := databases.New(t)
	const interval = 50 * time.Millisecond
	watch, _ := run(t, register.WatchConfig{Pool: pool, Interval: interval})
	// Without an interval, pauses that double would make these looks take hours.
	eventually.Holds(t, "the watch looks at each interval", func() bool { return looks(pool) >= quietLooks+15 })
	for position := 1; position <= 3; position++ {
		w.advance(chain)
		eventually.Holds(t, "the change is seen", sees(watch, position))
	}
	began, before := time.Now(), looks(pool)
	const more = 5 // after a change: 5, 10, 20 and 40 ms
	eventually.Holds(t, "the watch looks on", func() bool { return looks(pool)-before > 10+more })
	got, intervals := looks(pool)-before, int64(time.Since(began)/interval)
	if got > intervals+more+1 {
		t.Errorf("it looked %d times in %d intervals", got, intervals)
	}
}

// Each single change is seen, and Changed is called when there is something else to see, and only then.
func TestChanged(t *testing.T) {
	t.Parallel()
	w := newWriter(t, databases.New(t), 0)
	chain := w.register("chain", 1)
	pool := databases.New(t)
	changed := make(chan struct{}, 100)
	watch, stop := run(t, register.WatchConfig{Pool: pool, Interval: time.Millisecond, Patience: time.Hour, Changed: func() { changed <- struct{}{} }})
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"the first look", func() {}},
		{"a position", func() { w.advance(chain) }},
		{"an event", func() { w.exec(`UPDATE log.head SET size = size + 1`) }},
		{"a failure", func() { w.exec(`UPDATE strata.projection SET state = 'failed', error = 'one'`) }},
		{"another failure", func() { w.exec(`UPDATE strata.projection SET error = 'two'`) }},
		{"a version", func() { w.register("chain", 2) }},
		{"its position", func() { w.advance(w.versions["chain_v2"]) }},
		{"a switch", func() { w.activate(w.versions["chain_v2"]) }},
		{"the end of a version", func() { w.drop(chain) }},
		{"another database", func() { w.exec(`UPDATE strata.archive SET id = gen_random_uuid()`) }},
	} {
		step.do()
		eventually.Receive(t, "Changed is called: "+step.name, changed)
		if difference := portray(t, watch.State(time.Now())).differs(portray(t, read(t, w.pool, "chain"))); difference != "" {
			t.Errorf("%s: the watch, and a transaction: %s", step.name, difference)
		}
		before := looks(pool)
		eventually.Holds(t, "the watch looks on", func() bool { return looks(pool) > before+3 })
	}
	stop()
	if len(changed) > 0 {
		t.Errorf("Changed was called %d times more", len(changed))
	}
}

func TestBeforeRun(t *testing.T) {
	t.Parallel()
	watch := register.NewWatch(register.WatchConfig{Pool: databases.New(t)})
	watch.Look()
	if got := watch.State(time.Now()); got != nil {
		t.Errorf("got a state before there was a look: %+v", got)
	}
}

// Run ends with its context, in the middle of a query too, and leaves nothing behind. It is alone, to see all that runs.
func TestRunEnds(t *testing.T) {
	w := newWriter(t, databases.New(t), 0)
	w.register("chain", 1)
	for _, name := range []string{"waiting", "looking"} {
		t.Run(name, func(t *testing.T) {
			pool := w.pool
			log := &journal{}
			watch, stop := run(t, register.WatchConfig{Pool: pool, Interval: time.Hour, Patience: time.Hour, Logger: log.logger()})
			eventually.Holds(t, "there is a state", sees(watch, 0))
			if name == "looking" {
				tx := must.Get(pool.Begin(t.Context()))(t)
				defer tx.Rollback(context.Background())
				must.Get(tx.Exec(t.Context(), `LOCK TABLE strata.projection`))(t)
				watch.Look()
				eventually.Holds(t, "the watch waits for the lock", func() bool {
					var waiting bool
					must.Do(t, tx.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'strata.projection'::regclass)`).Scan(&waiting))
					return waiting
				})
			}
			stop()
			left := int32(0)
			if name == "looking" {
				left = 1 // the lock's
			}
			eventually.Holds(t, "the watch's connection is given back", func() bool { return pool.Stat().AcquiredConns() == left })
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			if strings.Contains(string(stacks), "register.(*Watch)") {
				t.Errorf("something of the watch still runs: %s", stacks)
			}
			if got := log.count("WARN") + log.count("INFO"); got != 0 {
				t.Errorf("the end was logged: %v", log.records())
			}
		})
	}
}
