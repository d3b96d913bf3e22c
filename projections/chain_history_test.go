package projections_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/short"
	"strata/rig"
	"strata/rig/replay"
)

// generations are those of node payloads that the properties are checked on.
var generations = []synthchain.Generation{
	synthchain.V205, synthchain.V21, synthchain.V25, synthchain.V30, synthchain.V3109, synthchain.V40,
}

// seedsEnv is the environment variable with the number of histories to make up for each generation; default two.
const seedsEnv = "STRATA_TEST_SEEDS"

// TestForkHistory feeds random histories with everything that a node does: siblings, late parents, returning branches,
// Bitcoin reorganisations, duplicates, empty genesis announcements. It stops and starts the projections on the way, and
// checks two things: the rows agree with the generator's own model, and they are the same as when the canonical chain
// alone is replayed into an empty database.
func TestForkHistory(t *testing.T) {
	t.Parallel()
	seeds := short.Form(2, 1)
	if n, err := strconv.Atoi(os.Getenv(seedsEnv)); err == nil {
		seeds = n
	}
	for _, generation := range generations {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%v/%d", generation, seed), func(t *testing.T) {
				t.Parallel()
				config := synthchain.Everything(uint64(seed), generation)
				config.MergedGenesis = generation == synthchain.V205 && seed%2 == 1
				if seed%2 == 0 {
					config.ForkProbability, config.LateParentProbability, config.BitcoinReorgProbability = 0.3, 0.1, 0.08
				}
				testForkHistory(t, config, 600)
			})
		}
	}
}

// TestForkHistoryOfAllEpochs does the same with a chain that goes through all epochs: locks of each stacking contract end
// when its epoch does.
func TestForkHistoryOfAllEpochs(t *testing.T) {
	t.Parallel()
	config := synthchain.AllEpochs(4)
	config.SigningSample = 1000
	testForkHistory(t, config, 1000)
}

func testForkHistory(t *testing.T, config synthchain.Config, posts int) {
	t.Helper()
	made := synthchain.New(config)
	log := replay.NewLog(t)
	random := rand.New(rand.NewPCG(config.Seed, 1))
	for sent := 0; sent < posts; {
		// Some posts come while nothing runs and are folded in bulk, others come one by one while everything runs.
		var stop func()
		live := random.IntN(2) == 0
		if live {
			stop = rig.FollowAccounts(t, log)
		}
		var bulk []replay.Post
		for range 1 + random.IntN(200) {
			post := made.Next()
			if live {
				replay.Append(t, log, post)
			} else {
				bulk = append(bulk, post)
			}
			sent++
		}
		replay.Append(t, log, bulk...)
		if live {
			if random.IntN(2) == 0 {
				replay.Wait(t, log)
			}
			stop() // perhaps in the middle of something
		}
	}
	rig.FoldAccounts(t, log)
	want := made.Expected()
	rig.CheckState(t, log.Pool(), want)
	rig.CheckNoQuarantine(t, log.Pool())

	rig.CheckAlone(t, log, made.CanonicalPosts())
}
