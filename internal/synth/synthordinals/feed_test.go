package synthordinals

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"strata/domain/ordinals"
)

// settings returns the configurations that most tests use.
func settings(seed uint64) map[string]Config {
	jubilee := Everything(seed, ordinals.Mainnet)
	jubilee.StartHeight = ordinals.Mainnet.JubileeHeight() - 60
	late := Everything(seed, ordinals.Mainnet)
	late.StartHeight = 837_000
	testnet := Everything(seed, ordinals.Testnet)
	testnet.StartHeight, testnet.ForgetHistory = 2_544_100, false
	crowded := Everything(seed, ordinals.Signet)
	crowded.Live, crowded.Accounts, crowded.Transfers = 16, 4, Range{Min: 2, Max: 8}
	return map[string]Config{
		"plain":      {Seed: seed},
		"old":        {Seed: seed, Shapes: []Shape{OldShape()}, Transfers: Range{Min: 0, Max: 3}, Reveals: Range{Min: 1, Max: 2}, RollbackProbability: 0.2},
		"everything": Everything(seed, ordinals.Regtest),
		"jubilee":    jubilee,
		"self mints": late,
		"testnet":    testnet,
		"crowded":    crowded,
	}
}

// forEach runs a test with each configuration of settings.
func forEach(t *testing.T, seed uint64, test func(*testing.T, Config)) {
	t.Helper()
	all := settings(seed)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, all[name])
		})
	}
}

func TestDeterministic(t *testing.T) {
	t.Parallel()
	forEach(t, 1, func(t *testing.T, cfg Config) {
		forgetful := cfg
		forgetful.ForgetHistory = true
		a, b := New(cfg), New(forgetful)
		for i := range 100 {
			p, q := a.Next(), b.Next()
			if p.Path != q.Path || !bytes.Equal(p.Body, q.Body) {
				t.Fatalf("post %d differs:\n%s\n%s", i, p.Body, q.Body)
			}
			if i%50 == 0 {
				a.Expected() // must not change later posts
				a.CanonicalPosts()
			}
		}
	})
}
