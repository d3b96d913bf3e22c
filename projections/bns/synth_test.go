package bns_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/short"
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
			posts := make([]replay.Post, 600)
			for i := range posts {
				posts[i] = replay.Post(made.Next())
			}
			expected := made.Expected()
			if expected.Registry == nil || len(expected.Registry.Names) < 10 || len(expected.Registry.Namespaces) < 4 {
				t.Fatalf("nothing happened to names: %+v", expected.Registry)
			}
			random := rand.New(rand.NewPCG(seed, 40))
			tx := begin(t)
			fold(t, tx, stepsOf(t, tx, posts), func() int { return 1 + random.IntN(9) })
			compareState(t, tx, expected.Registry)
			kinds := texts(t, tx, `SELECT kind::text FROM {schema}.event GROUP BY kind`)
			if len(kinds) < 10 {
				t.Errorf("only %d kinds of things happened: %v", len(kinds), kinds)
			}
			got := dump(t, tx)
			end(t, tx)

			tx = begin(t)
			fold(t, tx, stepsOf(t, tx, posts), func() int { return len(posts) })
			same(t, "rebuilt at once", got, dump(t, tx))
			end(t, tx)

			var alone []replay.Post
			for _, post := range made.CanonicalPosts() {
				alone = append(alone, replay.Post(post))
			}
			tx = begin(t)
			fold(t, tx, stepsOf(t, tx, alone), func() int { return 50 })
			same(t, "the canonical chain alone", got, dump(t, tx))
		})
	}
}
