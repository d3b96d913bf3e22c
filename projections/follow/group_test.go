package follow_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/follow"
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
	if wrong := rig.WrongRows(t, log, lines); len(wrong) > 0 {
		t.Errorf("the log gives other rows: %q", wrong)
	}
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
	must.Do(t, version.Resume(t.Context(), log.Pool(), "recorder"))
	awaitMembers(t, registry, 2)
	post(blocks, 5)
	replay.Wait(t, log)
	rig.CheckRecorded(t, log, blocks+5)
}
