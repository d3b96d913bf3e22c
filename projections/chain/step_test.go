package chain_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/short"
	"strata/projections/chain"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestSteps folds random histories in batches of random sizes with restarts, under both rules, and replays the steps.
func TestSteps(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V30, synthchain.V40} {
		config := synthchain.Everything(77, generation)
		config.ForkProbability, config.LateParentProbability, config.BitcoinReorgProbability = 0.3, 0.1, 0.08
		config.TxPerBlock, config.SigningSample = synthchain.Range{Min: 0, Max: 1}, 1000
		generator := synthchain.New(config)
		posts := replay.Take(400, generator.Next)
		items := replay.Decode(t, posts)
		for _, rule := range []chain.Rule{chain.Recommended, chain.Reference} {
			var first []string
			for seed := range short.Form[uint64](3, 2) {
				t.Run(fmt.Sprintf("%v/%s/%d", generation, rule, seed), func(t *testing.T) {
					random := rand.New(rand.NewPCG(seed, 1))
					replay.InTx(t, pool, func(tx pgx.Tx) {
						foldAll(t, tx, rule, items, func() (int, bool) { return 1 + random.IntN(60), random.IntN(2) == 0 })
						checkSteps(t, tx)
						steps := replay.Texts(t, tx, schemas.In(`SELECT step || ' ' || kind || ' ' || block_seq || ' ' || source_seq FROM {chain}.step ORDER BY step`))
						if seed == 0 {
							first = steps
							if len(steps) < 100 {
								t.Errorf("only %d steps", len(steps))
							}
						}
						if fmt.Sprint(steps) != fmt.Sprint(first) {
							t.Error("the steps depend on how the events are batched")
						}
					})
				})
			}
		}
	}
}
