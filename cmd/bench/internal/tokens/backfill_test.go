package tokens

import (
	"strings"
	"testing"
)

func TestDeploysCountsContracts(t *testing.T) {
	t.Parallel()
	d, err := deploys(7)
	if err != nil {
		t.Fatal(err)
	}
	// The names of the assets tell the kinds of contracts.
	coins, pieces := 0, 0
	for _, p := range d.posts {
		if p.Path == "/new_block" {
			coins += strings.Count(string(p.Body), `"fungible_tokens":[{"name":"coin"}]`)
			pieces += strings.Count(string(p.Body), `"non_fungible_tokens":[{"name":"piece"`)
		}
	}
	if d.collections < 7 || d.collections != pieces || d.coins != coins || d.coins == 0 {
		t.Errorf("got %d coins and %d collections, the posts have %d and %d", d.coins, d.collections, coins, pieces)
	}
}
