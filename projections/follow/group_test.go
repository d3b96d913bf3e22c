package follow_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/projections/mempool"
	"strata/projections/pox"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/every"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// mixed returns the events of a node and of an ordinals feed in turns.
func mixed(t *testing.T, n int) (posts []replay.Post) {
	t.Helper()
	config := synthchain.Everything(3, synthchain.V40)
	config.SigningSample = 100
	chain, feed := synthchain.New(config), synthordinals.New(synthordinals.Config{Seed: 3})
	for i := range n {
		if i%5 == 4 {
			posts = append(posts, feed.Next())
		} else {
			posts = append(posts, chain.Next())
		}
	}
	return posts
}

// places are where the projections of a database stand in one snapshot.
type places struct {
	log   []int64            // positions of the leaders
	steps map[string][]int64 // by leader: its last step, then the positions of its followers
}

func readPlaces(ctx context.Context, log *eventstore.Log) (p places, err error) {
	rows, err := log.Pool().Query(ctx, schemas.In(`
		SELECT input, position, (SELECT coalesce(max(step), 0) FROM {chain}.step), (SELECT coalesce(max(step), 0) FROM {ordinals}.step)
		FROM strata.projection`))
	if err != nil {
		return p, err
	}
	p.steps = map[string][]int64{}
	var input string
	var position, chain, ordinals int64
	_, err = pgx.ForEachRow(rows, []any{&input, &position, &chain, &ordinals}, func() error {
		switch input {
		case "log":
			p.log = append(p.log, position)
		case schemas.In("{chain}"):
			p.steps[input] = append(p.steps[input], position-chain)
		default:
			p.steps[input] = append(p.steps[input], position-ordinals)
		}
		return nil
	})
	return p, err
}

// awaitMembers waits until a number of versions are members.
func awaitMembers(t *testing.T, registry prometheus.Gatherer, n int) {
	t.Helper()
	eventually.Holds(t, fmt.Sprint(n, " versions are members"), func() bool {
		return int(rig.Metric(t, registry, "strata_projection_on_board")) == n
	})
}

// TestOnePosition reads where all projections stand while events of a node and of an ordinals feed come, and never sees
// two of them at different places. It also counts transactions: one for each event.
func TestOnePosition(t *testing.T) {
	// Not beside the tests that end sessions and freeze processes: a transaction that takes as long as a frozen one's is ended, too.
	log := replay.NewLog(t)
	registry := prometheus.NewRegistry()
	lines := every.Lines()
	logger := slog.New(slog.NewTextHandler(t.Output(), nil)) // a member that leaves says why
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, Registry: registry, Logger: logger}, lines...)
	awaitMembers(t, registry, len(lines.Definitions())-1)
	before := rig.Metric(t, registry, "strata_projection_transactions_total")

	ctx, stop := context.WithCancel(t.Context())
	var reader sync.WaitGroup
	reads := 0
	reader.Go(func() {
		for ctx.Err() == nil {
			p, err := readPlaces(ctx, log)
			if err != nil {
				if ctx.Err() == nil {
					t.Error(err)
				}
				return
			}
			reads++
			if len(p.log) != 2 || p.log[0] != p.log[1] {
				t.Errorf("the leaders stand at %v", p.log)
				return
			}
			for leader, lags := range p.steps {
				for _, lag := range lags {
					if lag != 0 {
						t.Errorf("the followers of %s are behind by %v", leader, lags)
						return
					}
				}
			}
		}
	})
	const events = 200
	for _, post := range mixed(t, events) {
		replay.Append(t, log, post)
	}
	replay.Wait(t, log)
	stop()
	reader.Wait()
	if reads < 20 {
		t.Errorf("there were %d reads, too few to see anything", reads)
	}
	if n := rig.Metric(t, registry, "strata_projection_transactions_total") - before; n > events {
		t.Errorf("%v transactions for %d events, want one for each at most", n, events)
	}
	// A block makes some fifty statements and more, whose number grows with what it contains. They share round trips.
	statements, trips := rig.Metric(t, registry, "strata_projection_statements_total"), rig.Metric(t, registry, "strata_projection_round_trips_total")
	if statements > 120*events || trips > 15*events {
		t.Errorf("%.0f statements in %.0f round trips for %d events", statements, trips, events)
	}
	t.Logf("%.1f statements in %.1f round trips for each event", statements/events, trips/events)
}

// TestLeavesAlone lets a member of a group fail: it leaves and stops at the step at fault, while the others go on.
// Resumed, it comes back.
func TestLeavesAlone(t *testing.T) {
	t.Parallel()
	const before, poison, blocks = 10, 15, 30
	log := replay.NewLog(t)
	r := &rig.Recorder{}
	registry := prometheus.NewRegistry()
	config := follow.Config{Log: log, Interval: 50 * time.Millisecond, Registry: registry}
	replay.Follow(t, config, projections.Chain(rig.Chain(t), balances.New(nil), r))
	awaitMembers(t, registry, 2)
	post := func(from, n int) {
		for _, p := range rig.Blocks(from, n) {
			replay.Append(t, log, p)
		}
	}
	r.BreakAt(poison, true)
	post(0, before)
	replay.Wait(t, log)
	post(before, blocks-before)
	eventually.Holds(t, "the recorder has stopped", func() bool { return rig.Status(t, log, "recorder").State == version.StateFailed })
	eventually.Holds(t, "the others go on", func() bool {
		return rig.Status(t, log, "chain").Position == blocks && rig.Status(t, log, "balances").Position == blocks
	})
	if s := rig.Status(t, log, "recorder"); s.Position != poison-1 || s.ErrorPosition == nil || *s.ErrorPosition != poison {
		t.Errorf("got %+v, want it before step %d", s, poison)
	}
	r.BreakAt(0, false)
	if err := version.Resume(t.Context(), log.Pool(), "recorder"); err != nil {
		t.Fatal(err)
	}
	awaitMembers(t, registry, 2)
	post(blocks, 5)
	replay.Wait(t, log)
	rig.CheckRecorded(t, log, blocks+5)
}

// flaky fails at random, in every way that a projection can.
type flaky struct {
	projections.Projection[projections.Step]
	mu     sync.Mutex
	random *rand.Rand
	failed int
}

func (f *flaky) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	f.mu.Lock()
	early, kind := f.random.IntN(2) == 0, f.random.IntN(12)
	if kind < 3 {
		f.failed++
	}
	f.mu.Unlock()
	fail := func() error {
		switch kind {
		case 0:
			return errors.New("oops")
		case 1:
			panic("oops")
		case 2:
			_, err := tx.Exec(ctx, `SELECT 1/0`)
			return err
		}
		return nil
	}
	if early {
		if err := fail(); err != nil {
			return projections.Outcome{}, err
		}
	}
	outcome, err := f.Projection.Fold(ctx, tx, after, steps)
	if err == nil && !early {
		err = fail()
	}
	return outcome, err
}

// TestFlaky lets two projections fail again and again while blocks come. In the end all rows are the same as when the
// log is folded at once.
func TestFlaky(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	wrap := func(p projections.Projection[projections.Step], seed uint64) *flaky {
		return &flaky{Projection: p, random: rand.New(rand.NewPCG(seed, 1))}
	}
	first, second := wrap(balances.New(nil), 1), wrap(mempool.New(), 2)
	rig.Follow(t, log, projections.Chain(rig.Chain(t), first, second, pox.New()))
	made := synthchain.New(synthchain.Everything(9, synthchain.V40))
	resume := func() {
		for _, name := range []string{"balances", "mempool"} {
			_ = version.Resume(t.Context(), log.Pool(), name) // it may not have failed
		}
	}
	for i := range short.Form(300, 150) {
		replay.Append(t, log, made.Next())
		if i%20 == 0 {
			resume()
		}
	}
	eventually.Holds(t, "all catch up", func() bool {
		resume()
		for _, name := range []string{"chain", "balances", "mempool", "pox"} {
			if s := rig.Status(t, log, name); s.Lag() > 0 {
				return false
			}
		}
		return true
	})
	if first.failed == 0 || second.failed == 0 {
		t.Errorf("they failed %d and %d times, which proves nothing", first.failed, second.failed)
	}
	rig.CheckState(t, log.Pool(), made.Expected())
	rig.CheckNoQuarantine(t, log.Pool())
	lines := projections.Lines{projections.Chain(rig.Chain(t), balances.New(nil), mempool.New(), pox.New())}
	err := follow.VerifyRows(t.Context(), log, lines, follow.VerifyRowsOptions{
		Difference: func(name string, d version.Difference) bool {
			t.Error(fmt.Sprint(name, ": ", rig.Describe(d)))
			return false
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}
