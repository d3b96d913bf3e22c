package follow_test

import (
	"context"
	"errors"
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
	"strata/projections/chain"
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
// Resumed, it comes back, also to a leader that nobody else has followed meanwhile.
func TestLeavesAlone(t *testing.T) {
	t.Parallel()
	t.Run("beside another", func(t *testing.T) { testLeavesAlone(t, balances.New(nil)) })
	t.Run("and nobody stays", func(t *testing.T) { testLeavesAlone(t) })
}

func testLeavesAlone(t *testing.T, others ...projections.Projection[projections.Step]) {
	t.Parallel()
	const before, poison, blocks = 10, 15, 30
	log := replay.NewLog(t)
	r := &rig.Recorder{}
	registry := prometheus.NewRegistry()
	config := follow.Config{Log: log, Interval: 50 * time.Millisecond, Registry: registry}
	replay.Follow(t, config, projections.Chain(rig.Chain(t), append(others, r)...))
	awaitMembers(t, registry, 1+len(others))
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
		return rig.Status(t, log, "chain").Position == blocks && (len(others) == 0 || rig.Status(t, log, "balances").Position == blocks)
	})
	if s := rig.Status(t, log, "recorder"); s.Position != poison-1 || s.ErrorPosition == nil || *s.ErrorPosition != poison {
		t.Errorf("got %+v, want it before step %d", s, poison)
	}
	r.BreakAt(0, false)
	must.Do(t, version.Resume(t.Context(), log.Pool(), "recorder"))
	awaitMembers(t, registry, 1+len(others))
	post(blocks, 5)
	replay.Wait(t, log)
	rig.CheckRecorded(t, log, blocks+5)
}

// hesitant is chain, but for some events that are too much for one transaction: so many attempts leave them, and all after them.
// At one event it fails.
type hesitant struct {
	*chain.Chain
	attempts map[int64]int // by event
	broken   int64         // 0 for none
	tip      *projections.Tip
}

func (h *hesitant) Fold(ctx context.Context, tx pgx.Tx, after int64, items []projections.LogItem) (projections.Outcome, error) {
	left := 0
	var written int64
	if err := tx.QueryRow(ctx, `SELECT log_seq FROM strata.projection WHERE name = 'chain'`).Scan(&written); err != nil || written != after {
		return projections.Outcome{}, fmt.Errorf("after event %d, %d is written: %w", after, written, err)
	}
	for i, item := range items {
		if item.Seq != after+1+int64(i) {
			return projections.Outcome{}, fmt.Errorf("event %d is number %d after %d", item.Seq, i+1, after)
		}
		if h.attempts[item.Seq] > 0 {
			h.attempts[item.Seq]--
			items, left = items[:i], len(items)-i
			break
		}
		if item.Seq == h.broken {
			return projections.Outcome{}, errors.New("a bug")
		}
	}
	if len(items) == 0 {
		return projections.Outcome{Tip: h.tip, Left: left}, nil
	}
	outcome, err := h.Chain.Fold(ctx, tx, after, items)
	outcome.Left += left
	h.tip = outcome.Tip
	return outcome, err
}

// startGroup follows a log that has some blocks, with a leader and two members.
func startGroup(t *testing.T, leader projections.Leading[projections.Step], posts ...replay.Post) (*eventstore.Log, prometheus.Gatherer) {
	t.Helper()
	log, registry := replay.NewLog(t), prometheus.NewRegistry()
	replay.Append(t, log, posts...)
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, Registry: registry}, projections.Chain(leader, balances.New(nil), &rig.Recorder{}))
	awaitMembers(t, registry, 2)
	return log, registry
}

// TestInPieces folds events that are too much for one transaction: the leader folds them alone, and its group is open again.
func TestInPieces(t *testing.T) {
	t.Parallel()
	const before, blocks = 40, 60
	leader := &hesitant{Chain: rig.Chain(t), attempts: map[int64]int{1: 1, 17: 3, 18: 2, before: 1, before + 2: 1, before + 3: 4, blocks: 2}}
	log, registry := startGroup(t, leader, rig.Blocks(0, before)...)
	for _, p := range rig.Blocks(before, blocks-before) {
		replay.Append(t, log, p)
	}
	replay.Wait(t, log)
	awaitMembers(t, registry, 2)
	for seq, attempts := range leader.attempts {
		if attempts > 0 {
			t.Errorf("event %d was not left %d times more", seq, attempts)
		}
	}
	rig.CheckRecorded(t, log, blocks)
	for _, name := range []string{"chain", "balances"} {
		if s := rig.Status(t, log, name); s.BlockHeight == nil || *s.BlockHeight != blocks-1 {
			t.Errorf("%s stands at %+v, want it at height %d", name, s, blocks-1)
		}
	}
}

// TestFarBehind lets projections at the tip fall far behind: each folds what has come by itself, and they meet again.
func TestFarBehind(t *testing.T) {
	t.Parallel()
	const before, blocks, after = 5, 2500, 2510
	log, registry := startGroup(t, rig.Chain(t), rig.Blocks(0, before)...)
	replay.Append(t, log, rig.Blocks(before, blocks-before)...)
	replay.Wait(t, log)
	awaitMembers(t, registry, 2)
	for _, p := range rig.Blocks(blocks, after-blocks) {
		replay.Append(t, log, p)
	}
	replay.Wait(t, log)
	rig.CheckRecorded(t, log, after)
	for _, name := range []string{"chain", "balances", "recorder"} {
		if s := rig.Status(t, log, name); s.State != version.StateLive || s.Position != after {
			t.Errorf("%s stands at %d, %s", name, s.Position, s.State)
		}
	}
}

// TestLeaderSkips lets a leader go past an event that it can't fold: its group is whole again, and so is the chain when the block
// comes once more.
func TestLeaderSkips(t *testing.T) {
	t.Parallel()
	const before, broken, blocks = 5, 8, 15
	posts := rig.Blocks(0, blocks)
	log, registry := startGroup(t, &hesitant{Chain: rig.Chain(t), broken: broken, attempts: map[int64]int{broken: 1}}, posts[:before]...)
	replay.Append(t, log, posts[before:]...)
	eventually.Holds(t, "the leader stops", func() bool { return rig.Status(t, log, "chain").State == version.StateFailed })
	must.Get(version.Skip(t.Context(), log, "chain", broken, "a bug"))(t)
	replay.Wait(t, log)
	rig.CheckRecorded(t, log, broken-1)
	awaitMembers(t, registry, 2)
	replay.Append(t, log, posts[broken-1])
	replay.Wait(t, log)
	rig.CheckRecorded(t, log, blocks)
}

// TestDroppedVersion drops a version that a follower builds: the follower ends, and what it has measured is gone.
func TestDroppedVersion(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	registry := prometheus.NewRegistry()
	lines := projections.Chain(rig.Chain(t), &keyed{})
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, Registry: registry}, lines)
	replay.Append(t, log, rig.Blocks(0, 5)...)
	replay.Wait(t, log)
	measured := func() (versions int) {
		for _, family := range must.Get(registry.Gather())(t) {
			if family.GetName() == "strata_projection_position" {
				versions = len(family.GetMetric())
			}
		}
		return versions
	}
	for range 2 { // its schema may come again
		created := must.Get(version.Rebuild(t.Context(), log.Pool(), projections.Lines{lines}, version.RebuildOptions{Name: "keyed"}))(t)
		eventually.Holds(t, "three versions are measured", func() bool { return measured() == 3 })
		must.Do(t, version.Drop(t.Context(), log.Pool(), created[0]))
		eventually.Holds(t, "two versions are measured", func() bool { return measured() == 2 })
	}
	replay.Append(t, log, rig.Blocks(5, 5)...)
	replay.Wait(t, log)
	if _, blocks := keyedRows(t, log); blocks != "0 1 2 3 4 5 6 7 8 9" {
		t.Errorf("the version that stays has blocks %s", blocks)
	}
}
