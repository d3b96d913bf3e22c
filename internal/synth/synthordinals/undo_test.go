package synthordinals

import (
	"reflect"
	"testing"
)

// TestUndo compares the world after some reorganisations with one that saw only the final branch.
func TestUndo(t *testing.T) {
	t.Parallel()
	forEach(t, 5, func(t *testing.T, cfg Config) {
		const never = 1 << 20
		cfg.RollbackProbability, cfg.MaxRollbackDepth = 0.3, never // no block becomes final and loses its plans
		f := New(cfg)
		for range 3 {
			for range 30 {
				f.Next()
			}
			straight := newWorld()
			for _, b := range f.branch {
				replayed := *b
				newExecution(straight, f.cfg, &replayed).replay(b.mined)
				if !reflect.DeepEqual(replayed.transactions, b.transactions) {
					t.Fatalf("block %d differs when it is replayed", b.height)
				}
			}
			same(t, "outputs", f.world.outputs.Rows, straight.outputs.Rows)
			same(t, "spendable", f.world.spendable.List, straight.spendable.List)
			same(t, "sats", f.world.sats.Rows, straight.sats.Rows)
			same(t, "counts", f.world.counts.Value, straight.counts.Value)
			same(t, "recent", f.world.recent.Value, straight.recent.Value)
			same(t, "tokens", f.world.tokens.deployed.Rows, straight.tokens.deployed.Rows)
			same(t, "tickers", f.world.tokens.tickers.List, straight.tokens.tickers.List)
			same(t, "available", f.world.tokens.available.Rows, straight.tokens.available.Rows)
			same(t, "holders", f.world.tokens.holders.List, straight.tokens.holders.List)
			same(t, "pending", f.world.tokens.pending.Rows, straight.tokens.pending.Rows)
			same(t, "waiting", f.world.tokens.waiting.List, straight.tokens.waiting.List)
		}
	})
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	// Empty and nil are the same here.
	if v := reflect.ValueOf(want); (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 && reflect.ValueOf(got).Len() == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s differ:\n got %v\nwant %v", what, got, want)
	}
}
