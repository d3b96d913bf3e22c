package tokens

import (
	"testing"

	"strata/cmd/bench/internal/bench"
)

// TestKnownTokensAreDistinct checks that no two tokens are the same, also across kinds.
func TestKnownTokensAreDistinct(t *testing.T) {
	t.Parallel()
	const all = 5000
	coins, items := knownCoins(all), knownItems(all)
	if got := coins.all + items.all; got != all {
		t.Errorf("got %d tokens, want %d", got, all)
	}
	if coins.contracts() != 1000 || items.contracts() != 5 {
		t.Errorf("got %d and %d contracts, want 1000 and 5", coins.contracts(), items.contracts())
	}
	seen := map[string]bool{}
	for _, known := range []knownTokens{coins, items} {
		for i := range known.all {
			target := known.target(i)
			if seen[target] {
				t.Fatalf("%s occurs twice", target)
			}
			seen[target] = true
		}
	}
	if target := items.target(800); target != "/metadata/v1/nft/"+bench.Account(1001)+".piece/1" {
		t.Errorf("the first token of the second collection is at %s", target)
	}
}
