package chain_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestTouched checks that every block that becomes or ceases to be canonical is touched, by its height and by its
// hashes, and that a batch of several events touches nothing in particular.
func TestTouched(t *testing.T) {
	t.Parallel()
	config := synthchain.Everything(3, synthchain.V40)
	config.SigningSample = 1000
	config.ForkProbability, config.BitcoinReorgProbability = 0.2, 0.05
	generator := synthchain.New(config)
	posts := replay.Take(700, generator.Next)
	items := replay.Decode(t, posts)
	replay.InTx(t, databases.New(t), func(tx pgx.Tx) {
		c := rig.Chain(t)
		before, orphaned, quiet := canonical(t, tx), 0, 0
		for i, item := range items {
			outcome := must.Get(c.Fold(t.Context(), tx, int64(i), []projections.LogItem{item}))(t)
			now := canonical(t, tx)
			for _, change := range []struct{ from, to map[string]string }{{before, now}, {now, before}} {
				for name, answer := range change.from {
					if change.to[name] == answer {
						continue
					}
					if !outcome.Touched.Includes(name) {
						t.Errorf("event %d: %q was %q and is %q, but is not touched", item.Seq, name, before[name], now[name])
					}
					if now[name] == "" {
						orphaned++
					}
				}
			}
			if !outcome.Touched.Includes(shard.Height(1 << 40)) {
				quiet++
			}
			before = now
		}
		if orphaned == 0 || quiet < len(items)*9/10 {
			t.Errorf("%d touched names of orphaned blocks, and %d of %d events that touch only their own blocks", orphaned, quiet, len(items))
		}
	})
	replay.InTx(t, databases.New(t), func(tx pgx.Tx) {
		c := rig.Chain(t)
		outcome := must.Get(c.Fold(t.Context(), tx, 0, items))(t)
		if outcome.Touched != nil {
			t.Error("a batch of several events lists what it touches, which can't be complete")
		}
	})
}

// canonical returns the id of the canonical block by each shard name that readers use for it.
func canonical(t *testing.T, tx pgx.Tx) map[string]string {
	t.Helper()
	rows, err := tx.Query(t.Context(), schemas.In(`
		SELECT c.height, b.index_block_hash, b.block_hash
		FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq`))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	var height int64
	var id, block hash.Hash32
	if _, err := pgx.ForEachRow(rows, []any{&height, &id, &block}, func() error {
		for _, name := range []string{shard.Height(height), shard.Block(id), shard.Block(block)} {
			byName[name] = id.String()
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return byName
}
