package bns_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/short"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// TestMadeUpChain folds made-up chains with forks and everything else that happens on a chain, and compares the rows with
// the model of the registry, with those of the canonical chain alone, and with those of a rebuild.
func TestMadeUpChain(t *testing.T) {
	t.Parallel()
	for seed := range short.Form[uint64](3, 1) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			config := synthchain.Everything(seed, synthchain.V40)
			config.NakamotoFromHeight = 5
			config.Mix = synthchain.Mix{Transfer: 5, Naming: 5, Registry: 40}
			made := synthchain.New(config)
			posts := replay.Take(600, made.Next)
			expected := made.Expected()
			if expected.Registry == nil || len(expected.Registry.Names) < 10 || len(expected.Registry.Namespaces) < 4 {
				t.Fatalf("nothing happened to names: %+v", expected.Registry)
			}
			rows := rig.History(t, posts, rand.New(rand.NewPCG(seed, 40)), 9, func(tx pgx.Tx) []replay.Post {
				compareState(t, tx, expected.Registry)
				kinds := rig.Texts(t, tx, `SELECT kind::text FROM {schema}.event GROUP BY kind`)
				if len(kinds) < 10 {
					t.Errorf("only %d kinds of things happened: %v", len(kinds), kinds)
				}
				return made.CanonicalPosts()
			})
			rig.InBatches(t, posts, []int{len(posts)}, func(tx pgx.Tx, _ int) { foldtest.Same(t, "rebuilt at once", rows, rig.Dump(t, tx)) })
		})
	}
}
