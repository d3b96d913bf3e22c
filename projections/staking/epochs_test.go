package staking_test

import (
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

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
	var all []replay.Post
	for made.Tip().BurnHeight < made.Config().StartBurnHeight+235 {
		all = append(all, made.Next())
	}
	rig.History(t, all, rand.New(rand.NewPCG(2, 1)), 50, func(tx pgx.Tx) []replay.Post {
		compare(t, tx, made.Expected().Staking)
		return made.CanonicalPosts()
	})
}
