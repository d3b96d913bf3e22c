package synthordinals

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
)

// TestAnyConfiguration draws configurations and compares the model with the state that an observer computes.
func TestAnyConfiguration(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		share := func(name string, most float64) float64 { return rapid.Float64Range(0, most).Draw(r, name) }
		amount := func(name string, most int) Range {
			return Range{Min: rapid.IntRange(-1, 2).Draw(r, name), Max: rapid.IntRange(0, most).Draw(r, name+" at most")}
		}
		network := rapid.SampledFrom([]ordinals.Network{"", ordinals.Mainnet, ordinals.Testnet, ordinals.Signet, ordinals.Regtest}).Draw(r, "network")
		start := rapid.Uint64Range(0, 120).Draw(r, "start")
		if rapid.Bool().Draw(r, "near the jubilee") {
			start = network.JubileeHeight() - 10
		}
		cfg := Config{
			Seed: rapid.Uint64().Draw(r, "seed"), Network: network, StartHeight: start,
			Accounts: rapid.IntRange(0, 20).Draw(r, "accounts"), Live: rapid.IntRange(0, 200).Draw(r, "live"),
			BlockTime: rapid.Uint32().Draw(r, "time"), Reveals: amount("reveals", 5), Transfers: amount("transfers", 5),
			Tokens: amount("tokens", 5), ContentBytes: amount("bytes", 100), ReinscriptionShare: share("again", 0.6),
			SeveralShare: share("several", 0.8), CursedShare: share("cursed", 0.5), RareSatShare: share("rare", 1),
			UnboundShare: share("unbound", 0.2), RevealFeesShare: share("reveal fees", 0.3), RevealBurntShare: share("reveal burnt", 0.3),
			DelegateShare: share("delegate", 0.3), ParentShare: share("parent", 0.5), RecursionShare: share("recursion", 0.5),
			MetadataShare: share("metadata", 0.5), SharedOutputShare: share("shared", 1), TransferFeesShare: share("fees", 0.5),
			TransferBurntShare: share("burnt", 0.3), SelfSendShare: share("self", 1), EmptyHeightShare: share("empty", 0.9),
			BlocksPerPayload: amount("blocks", 4), ReplayBlocks: rapid.IntRange(-1, 40).Draw(r, "replay"),
			RollbackProbability: share("rollback", 0.5), MaxRollbackDepth: rapid.IntRange(0, 9).Draw(r, "depth"),
			ReturnProbability: share("return", 1), RemineShare: share("remine", 1), UnknownRollbackProbability: share("unknown", 0.2),
			DuplicateProbability: share("duplicate", 0.5), OutOfOrderProbability: share("order", 0.5), GapProbability: share("gap", 0.5),
		}
		if rapid.Bool().Draw(r, "all shapes") {
			cfg.Shapes = Shapes()
		}
		f := New(cfg)
		o := newObserver(f.Config().Network)
		for range rapid.IntRange(1, 80).Draw(r, "posts") {
			o.receive(r, f.Next())
		}
		o.compare(r, "at the end", f)
		alone := newObserver(f.Config().Network)
		for _, p := range f.CanonicalPosts() {
			alone.receive(r, p)
		}
		alone.compare(r, "after the canonical posts alone", f)
	})
}

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
