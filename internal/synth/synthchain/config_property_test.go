package synthchain

import (
	"testing"

	"pgregory.net/rapid"
)

// TestAnyConfiguration draws configurations and compares the model with the state that an observer computes.
func TestAnyConfiguration(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		share := func(name string, most float64) float64 { return rapid.Float64Range(0, most).Draw(r, name) }
		cfg := Config{
			Seed:                    rapid.Uint64().Draw(r, "seed"),
			Network:                 Network(rapid.IntRange(0, 1).Draw(r, "network")),
			Accounts:                rapid.IntRange(0, 40).Draw(r, "accounts"),
			TxPerBlock:              Range{Min: rapid.IntRange(0, 3).Draw(r, "min"), Max: rapid.IntRange(0, 12).Draw(r, "max")},
			Generation:              rapid.SampledFrom(Generations()).Draw(r, "generation"),
			Nakamoto:                rapid.Bool().Draw(r, "nakamoto"),
			NakamotoFromHeight:      uint64(rapid.IntRange(0, 30).Draw(r, "from")),
			BlocksPerTenure:         rapid.IntRange(0, 12).Draw(r, "tenure"),
			Maturity:                rapid.IntRange(1, 10).Draw(r, "maturity"),
			Microblocks:             rapid.Bool().Draw(r, "microblocks"),
			MergedGenesis:           rapid.IntRange(0, 4).Draw(r, "merged") == 0,
			EmptyGenesisEvery:       rapid.IntRange(0, 30).Draw(r, "empty"),
			SponsoredShare:          share("sponsored", 0.5),
			EmptyBurnShare:          share("empty burn", 0.5),
			BitcoinOpShare:          share("operations", 0.5),
			VestingShare:            share("vesting", 0.5),
			ForkProbability:         share("fork", 0.5),
			MaxForkDepth:            rapid.IntRange(0, 8).Draw(r, "depth"),
			ReturnProbability:       share("return", 1),
			BitcoinReorgProbability: share("reorg", 0.3),
			MaxBitcoinReorgDepth:    rapid.IntRange(0, 8).Draw(r, "reorg depth"),
			DuplicateProbability:    share("duplicate", 0.5),
			LateParentProbability:   share("late", 0.5),
			MempoolProbability:      share("mempool", 1),
			ReplaceProbability:      share("replace", 1),
			DropProbability:         share("drop", 1),
			SigningSample:           1000,
		}
		c, o := New(cfg), newObserver(t)
		o.post(c.Next())
		for range rapid.IntRange(1, 400).Draw(r, "posts") {
			o.post(c.Next())
		}
		o.compare("at the end", c)
		alone := newObserver(t)
		for _, p := range c.CanonicalPosts() {
			alone.post(p)
		}
		alone.compare("canonical posts alone", c)
	})
}
