package brc20_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/rig"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// feedConfig returns the configuration of a feed with all possible events, many of them about tokens.
func feedConfig(seed uint64) synthordinals.Config {
	cfg := synthordinals.Everything(seed, ordinals.Regtest)
	cfg.Accounts = 8
	cfg.Tokens = synthordinals.Range{Min: 1, Max: 8}
	cfg.SharedOutputShare, cfg.SecondDeploys = 0.5, seed%2 == 1
	return cfg
}

// TestAnyFeed compares the rows after any history with the model, with the rows of the canonical blocks alone, and with
// the rows of a fold step by step.
func TestAnyFeed(t *testing.T) {
	t.Parallel()
	for seed := range short.Form[uint64](8, 2) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			tx := replay.Begin(t, databases.New(t))
			feed, j := synthordinals.New(feedConfig(seed)), newJudge(t)
			batched, single := newWorld(t, tx, 1), newWorld(t, tx, 2)
			for round := range 6 {
				var fresh []projections.FeedStep
				for range 12 {
					fresh = append(fresh, j.Receive(feed.Next())...)
				}
				batched.fold(1+[]int{6, 0, 40, 1, 1000, 12}[round], fresh...)
				batched.checkTip(j.tip())
				single.fold(1, fresh...)
				foldtest.Compare(t, "one step at a time", single.dump(), batched.dump())
				batched.checkSelf()
				expected := feed.Expected()
				rig.CheckBRC20(t, tx, batched.spec, &expected)
			}
			alone := newWorld(t, tx, 3)
			alone.fold(17, j.canonical()...)
			foldtest.Compare(t, "after any history", batched.dump(), alone.dump())
			rig.CheckBRC20(t, tx, alone.spec, expectedOf(feed))
			alone.checkSelf()
			// Reverting all blocks leaves no rows.
			var back []projections.FeedStep
			for _, s := range j.canonical() {
				back = append(back, j.Revert(s.Height))
			}
			slices.SortFunc(back, func(a, b projections.FeedStep) int { return cmp.Compare(a.Height*7919%101, b.Height*7919%101) })
			batched.fold(50, back...)
			foldtest.Compare(t, "all taken back", batched.dump(), nil)
			batched.checkTip(nil)
		})
	}
}

// TestLongLists folds so many operations that lists have parts, in one batch, and block by block from the highest down.
func TestLongLists(t *testing.T) {
	t.Parallel()
	cfg := feedConfig(99)
	cfg.Accounts, cfg.GapProbability, cfg.Live = 4, 0.1, 6000
	cfg.Reveals, cfg.Transfers = synthordinals.Range{}, synthordinals.Range{Max: 1}
	cfg.Tokens = synthordinals.Range{Min: 60, Max: 90}
	feed, j := synthordinals.New(cfg), newJudge(t)
	tx := replay.Begin(t, databases.New(t))
	whole, backwards := newWorld(t, tx, 1), newWorld(t, tx, 2)
	for range 45 {
		whole.fold(7, j.Receive(feed.Next())...)
	}
	expected := feed.Expected()
	rig.CheckBRC20(t, tx, whole.spec, &expected)
	whole.checkSelf()
	steps := j.canonical()
	slices.Reverse(steps)
	backwards.fold(3, steps...)
	foldtest.Compare(t, "backwards", backwards.dump(), whole.dump())
	backwards.checkSelf()
	if parts := whole.rows(`SELECT list FROM {schema}.part WHERE list = 'all'`); len(parts) < 3 {
		t.Errorf("%d operations are in %d parts", len(expected.Activity), len(parts))
	}
}

func expectedOf(feed *synthordinals.Feed) *synthordinals.State {
	s := feed.Expected()
	return &s
}

// TestAnyOrder applies and reverts the blocks of a feed in random order.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range short.Form[uint64](4, 1) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			tx := replay.Begin(t, databases.New(t))
			feed, j := synthordinals.New(feedConfig(100+seed)), newJudge(t)
			for range 40 {
				j.Receive(feed.Next())
			}
			blocks := j.canonical()
			random := rand.New(rand.NewPCG(seed, 1))
			j.Applied = map[int64]projections.FeedStep{}
			w, alone := newWorld(t, tx, 1), newWorld(t, tx, 2)
			for range 12 {
				var steps []projections.FeedStep
				for range 1 + random.IntN(60) {
					b := blocks[random.IntN(len(blocks))]
					if old, ok := j.Applied[b.Height]; ok {
						steps = append(steps, j.Revert(old.Height))
						continue
					}
					j.Applied[b.Height] = b
					steps = append(steps, b)
				}
				w.fold(1+random.IntN(80), steps...)
				w.checkTip(j.tip())
				w.checkSelf()
			}
			alone.fold(1000, j.canonical()...)
			foldtest.Compare(t, "in any order", w.dump(), alone.dump())
		})
	}
}
