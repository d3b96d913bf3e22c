package chain_test

import (
	"testing"

	"strata/projections/chain"
	"strata/rig/replay"
)

// TestLostRoot begins logs with a block that turns out to be on a branch that loses.
func TestLostRoot(t *testing.T) {
	high := []replay.Post{stacks("a5000", "a4999", "800a"), stacks("a5001", "a5000", "801a")}
	then := func(posts ...replay.Post) []replay.Post { return append(high[:2:2], posts...) }
	scenarios := []scenario{
		{"a sibling of the root overtakes",
			then(stacks("b5000", "a4999", "800a"), stacks("b5001", "b5000", "801a"), stacks("b5002", "b5001", "802a"), stacks("b5003", "b5002", "803a")),
			state{chain: "b5000 b5001 b5002 b5003", steps: "+a5000 +a5001 -a5001 -a5000 +b5000 +b5001 +b5002 +b5003"}},
		{"a branch that began below the root overtakes",
			then(stacks("b4998", "b4997", "798a"), stacks("b4999", "b4998", "799a"), stacks("b5000", "b4999", "800a"), stacks("b5001", "b5000", "801a"), stacks("b5002", "b5001", "802a")),
			state{chain: "b4998 b4999 b5000 b5001 b5002"}},
		{"a branch whose sibling of the root was announced before the log began overtakes",
			then(stacks("b5001", "b5000", "801a"), stacks("b5002", "b5001", "802a")),
			state{chain: "b5001 b5002"}},
		{"a higher block whose parent is missing does not", then(stacks("a5003", "a5002", "803a"), stacks("a5004", "a5003", "804a")),
			state{chain: "a5000 a5001", gaps: "a5002"}},
		{"nor does it when its parent arrives and waits, until the one below that shows where it stands",
			then(stacks("c5004", "c5003", "804a"), stacks("c5003", "c5002", "803a"), stacks("c5002", "c5001", "802a"), stacks("c5005", "c5004", "805a"), stacks("c5001", "c5000", "801a"), stacks("c5006", "c5005", "806a")),
			state{chain: "c5001 c5002 c5003 c5004 c5005 c5006"}},
		{"the branch of the first root overtakes again",
			then(stacks("b5000", "a4999", "800a"), stacks("b5001", "b5000", "801a"), stacks("b5002", "b5001", "802a"), stacks("a5002", "a5001", "802a"), stacks("a5003", "a5002", "803a")),
			state{chain: "a5000 a5001 a5002 a5003"}},
		{"all ancestors arrive after that", []replay.Post{stacks("a3", "a2", "4a"), stacks("b3", "a2", "4a"), stacks("b4", "b3", "5a"), stacks("a2", "a1", "3a"),
			genesis(), stacks("a1", "genesis", "2a"), stacks("b5", "b4", "6a")}, state{chain: "genesis a1 a2 b3 b4 b5"}},
		{"Bitcoin leaves the root and all above it, and the other branch is still lower",
			[]replay.Post{bitcoin("800a", "799a"), stacks("a5000", "a4999", "800a"), bitcoin("801a", "800a"), stacks("a5001", "a5000", "801a"), stacks("a5002", "a5001", "801a"),
				bitcoin("800b", "799a"), bitcoin("801b", "800b"), stacks("b5000", "a4999", "800b"), stacks("b5001", "b5000", "801b")},
			state{chain: "b5000 b5001"}},
		{"a longer branch that waited when Bitcoin left the root", []replay.Post{bitcoin("800a", "799a"), stacks("a5000", "a4999", "800a"), stacks("a5001", "a5000", "800a"),
			stacks("a5002", "a5001", "800a"), stacks("a5003", "a5002", "800a"), stacks("a5004", "a5003", "800a"), stacks("b5001", "b5000", "800b"),
			stacks("b5002", "b5001", "800b"), stacks("b5003", "b5002", "800b"), bitcoin("800b", "799a"), stacks("b5000", "a4999", "800b")},
			state{chain: "b5000 b5001 b5002 b5003"}},
		{"a branch on an orphaned Bitcoin block does not overtake", []replay.Post{bitcoin("800b", "799a"), bitcoin("800a", "799a"), stacks("a5000", "a4999", "800a"),
			stacks("b5000", "a4999", "800b"), stacks("b5001", "b5000", "800b")}, state{chain: "a5000", gaps: "a4999"}},
	}
	run(t, chain.Recommended, scenarios)
	if t.Failed() {
		return
	}
	posts := 0
	for _, s := range scenarios {
		posts += len(s.posts)
	}
	t.Logf("fault: %d logs that began on a branch that may lose, with %d posts; each ended on the branch that won", len(scenarios), posts)
}
