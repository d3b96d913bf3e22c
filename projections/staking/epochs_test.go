package staking_test

import (
	"testing"

	"strata/internal/synth/synthchain"
	"strata/rig/replay"
)

// TestAllEpochs folds a chain with forks that goes through all epochs, with transactions around what pox-5 prints. It
// compares the rows with the contract's model, and with a replay of the canonical chain alone.
func TestAllEpochs(t *testing.T) {
	t.Parallel()
	config := synthchain.AllEpochs(2)
	config.SigningSample = 1000
	made := synthchain.New(config)
	var all, canonical []replay.Post
	for made.Tip().BurnHeight < made.Config().StartBurnHeight+235 {
		all = append(all, replay.Post(made.Next()))
	}
	for _, post := range made.CanonicalPosts() {
		canonical = append(canonical, replay.Post(post))
	}
	tx := begin(t)
	fold(t, tx, stepsOf(t, tx, all), func() int { return 25 })
	got := dump(t, tx)
	compare(t, tx, made.Expected().Staking)
	end(t, tx)
	straight := begin(t)
	fold(t, straight, stepsOf(t, straight, canonical), func() int { return len(canonical) })
	same(t, "replayed alone", got, dump(t, straight))
}
