package inscriptions_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/short"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestRandomFeeds folds feeds with rollbacks, duplicates, gaps and blocks out of order, in batches of any size, and
// compares all tables with the expected state now and then.
func TestRandomFeeds(t *testing.T) {
	short.Skip(t, "folds many feeds")
	t.Parallel()
	pool := databases.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		tx := replay.Begin(rt, pool)
		config := synthordinals.Everything(rapid.Uint64().Draw(rt, "seed"), rapid.SampledFrom([]ordinals.Network{ordinals.Mainnet, ordinals.Regtest}).Draw(rt, "network"))
		config.Accounts = rapid.SampledFrom([]int{4, 16}).Draw(rt, "accounts")
		config.Live = rapid.SampledFrom([]int{16, 60, 500}).Draw(rt, "live") // few, so that sats move often
		config.ReinscriptionShare = rapid.SampledFrom([]float64{0.15, 0.8}).Draw(rt, "reinscriptions")
		config.RollbackProbability = rapid.SampledFrom([]float64{0.08, 0.3}).Draw(rt, "rollbacks")
		config.GapProbability = rapid.SampledFrom([]float64{0.04, 0.2}).Draw(rt, "gaps")
		feed := synthordinals.New(config)
		w := newWorld(rt, tx)
		most := rapid.SampledFrom([]int{1, 2, 7, 0}).Draw(rt, "steps at once")
		for range rapid.IntRange(1, 5).Draw(rt, "rounds") {
			for range rapid.IntRange(1, 25).Draw(rt, "posts") {
				w.post(feed.Next())
			}
			w.fold(most)
			state := feed.Expected()
			w.check(&state)
		}
		got := w.dump()
		w.revert(slices.Collect(maps.Keys(w.feed.Applied))...)
		w.fold(most)
		for _, table := range []string{"block", "inscription", "owner", "location", "satoshi", "list", "part"} {
			var n int
			if err := tx.QueryRow(context.Background(), schemas.In(`SELECT count(*) FROM {inscriptions}.`)+table).Scan(&n); err != nil || n != 0 {
				rt.Fatalf("%d rows of %s are left after all blocks were reverted, %v", n, table, err)
			}
		}
		if w.tip != nil {
			rt.Fatalf("the tip is %+v after all blocks were reverted", w.tip)
		}
		replay.End(rt, tx) // a second transaction would wait for the rows of this one
		canonical := newWorld(rt, replay.Begin(rt, pool))
		for _, post := range feed.CanonicalPosts() {
			canonical.post(post)
		}
		canonical.fold(0)
		if want := canonical.dump(); got != want {
			rt.Fatalf("got\n%s\nand with the canonical posts alone\n%s", got, want)
		}
	})
}
