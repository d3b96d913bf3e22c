package register_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/domain/shard"
	"strata/internal/testkit/eventually"
	"strata/readapi/internal/register"
)

// Whatever is written, the watch comes to what a transaction reads at once, and so do all that look at the same time;
// what it gave away before stays as it was.
func TestHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			testHistory(t, seed)
		})
	}
}

func testHistory(t *testing.T, seed uint64) {
	const rounds = 12
	names := []string{"balances", "chain"}
	w := newWriter(t, databases.New(t), seed)
	var changes atomic.Int64
	watch, _ := run(t, register.WatchConfig{
		Pool: databases.New(t), Interval: 2 * time.Millisecond, Patience: time.Hour, Changed: func() { changes.Add(1) },
	})
	stop := use(t, watch, names)
	defer stop()

	type given struct {
		state    *register.State
		portrait portrait
	}
	var before []given
	registers, digests := map[[16]byte]string{}, map[string][16]byte{}
	for round := range rounds {
		if round > 0 { // at first there is nothing at all
			for range 1 + w.random.IntN(4) {
				w.step(names)
			}
		}
		want := read(t, w.pool, names...)
		eventually.Holds(t, "the watch comes to what is in the database", func() bool {
			got := watch.State(time.Now())
			return got != nil && got.Digest == want.Digest && got.LogSize == want.LogSize
		})
		got := watch.State(time.Now())
		portrait := portray(t, got)
		if difference := portrait.differs(portray(t, want)); difference != "" {
			t.Errorf("the watch, and a transaction: %s", difference)
		}
		w.check(got)
		if text, ok := registers[got.Digest]; ok && text != portrait.register {
			t.Errorf("one digest is of %s, and of %s", text, portrait.register)
		}
		if digest, ok := digests[portrait.register]; ok && digest != got.Digest {
			t.Errorf("%s has the digests %x, and %x", portrait.register, digest, got.Digest)
		}
		registers[got.Digest], digests[portrait.register] = portrait.register, got.Digest
		if round%4 == 0 {
			before = append(before, given{got, portrait})
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	for i, g := range before {
		if difference := g.portrait.differs(portray(t, g.state)); difference != "" {
			t.Errorf("state %d changed after it was given away: %s", i, difference)
		}
	}
	if got := changes.Load(); got < int64(len(digests)) {
		t.Errorf("Changed was called %d times for %d states", got, len(digests))
	}
}

// step does one of the things that happen to a register.
func (w *writer) step(names []string) {
	w.t.Helper()
	name, number := names[w.random.IntN(len(names))], 1+w.random.IntN(2)
	v := w.versions[schemaName(name, number)]
	if v == nil {
		w.register(name, number)
		return
	}
	switch w.random.IntN(18) {
	case 0:
		w.drop(v)
	case 1, 2:
		w.activate(v)
	case 3, 4:
		w.back(v, w.random.IntN(v.position+1))
	case 5:
		w.exec(`UPDATE log.head SET size = size + $1`, 1+w.random.IntN(3))
	case 6:
		w.exec(`UPDATE strata.projection SET state = 'failed', error = $3 WHERE name = $1 AND version = $2`, name, number, fmt.Sprintf("error %d", w.random.IntN(2)))
	case 7:
		w.exec(`UPDATE strata.projection SET state = $3 WHERE name = $1 AND version = $2`, name, number, []string{"live", "building"}[w.random.IntN(2)])
	case 8, 9:
		w.summarize(v, w.random.IntN(v.position+1))
	case 10:
		w.drop(v)
		w.register(name, number)
		fallthrough
	default:
		v = w.versions[schemaName(name, number)]
		for range 1 + w.random.IntN(5) {
			w.advance(v)
		}
	}
}

// use looks at states all the time, as requests do.
func use(t *testing.T, watch *register.Watch, names []string) (stop func()) {
	var wait sync.WaitGroup
	end := make(chan struct{})
	for worker := range uint64(2) {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(worker, 2))
			for {
				select {
				case <-end:
					return
				case <-time.After(time.Millisecond):
				}
				s := watch.State(time.Now())
				if s == nil {
					continue
				}
				for _, name := range names {
					v, number := s.Active(name), random.Int32N(shard.Count)
					if v != nil && v.Changed(number) > v.Position {
						t.Errorf("%s at %d: shard %d changed at %d", v.Schema(), v.Position, number, v.Changed(number))
						return
					}
				}
			}
		})
	}
	return func() {
		close(end)
		wait.Wait()
	}
}
