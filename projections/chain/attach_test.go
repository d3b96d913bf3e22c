package chain_test

import (
	"testing"

	"strata/projections/chain"
	"strata/rig/body"
	"strata/rig/replay"
)

// scenario is a sequence of announcements and the state that they lead to.
type scenario struct {
	name  string
	posts []replay.Post
	want  state
}

func run(t *testing.T, rule chain.Rule, scenarios []scenario) {
	t.Helper()
	t.Parallel()
	pool := databases.New(t)
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) { check(t, pool, rule, s.want, s.posts...) })
	}
}

func TestAttach(t *testing.T) {
	run(t, chain.Recommended, []scenario{
		{"one after the other", []replay.Post{genesis(), stacks("a1", "genesis", "2a"), stacks("a2", "a1", "3a")},
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2"}},
		{"the same block delivered again", []replay.Post{genesis(), stacks("a1", "genesis", "2a"), stacks("a1", "genesis", "2a"), genesis()},
			state{chain: "genesis a1", steps: "+genesis +a1"}},
		{"other content of a known block, as complete as the first one", []replay.Post{genesis(), stacks("a1", "genesis", "2a"), stacks("a2", "a1", "3a"),
			stacks("a1", "genesis", "2a", with(map[string]any{"signer_bitvec": "000800000001ff"}))},
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2"}},
		{"more transactions of a known block", []replay.Post{genesis(), stacks("a1", "genesis", "2a"), stacks("a2", "a1", "3a"), stacks("a1", "genesis", "2a", func(b *body.Block) {
			b.Transactions = append(b.Transactions, body.Transaction{Raw: coinbase})
		})}, state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2 -a2 -a1 +a1 +a2"}},
		{"child before parent", []replay.Post{genesis(), stacks("a2", "a1", "3a"), stacks("a1", "genesis", "2a")},
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2"}},
		{"child waits for its parent", []replay.Post{genesis(), stacks("a2", "a1", "3a")}, state{chain: "genesis", steps: "+genesis", gaps: "a1"}},
		{"grandchild and child wait for the same block, the lowest missing one", []replay.Post{genesis(), stacks("a3", "a2", "4a"), stacks("a2", "a1", "3a")},
			state{chain: "genesis", gaps: "a1"}},
		{"grandchild before child before parent", []replay.Post{genesis(), stacks("a3", "a2", "4a"), stacks("a2", "a1", "3a"), stacks("a1", "genesis", "2a")},
			state{chain: "genesis a1 a2 a3", steps: "+genesis +a1 +a2 +a3"}},
		{"two blocks wait for one", []replay.Post{genesis(), stacks("b2", "a1", "3a"), stacks("a2", "a1", "3a")},
			state{chain: "genesis", gaps: "a1"}},
		{"of two blocks that waited for the same parent, the first seen wins",
			[]replay.Post{genesis(), stacks("b2", "a1", "3a"), stacks("a2", "a1", "3a"), stacks("a1", "genesis", "2a")},
			state{chain: "genesis a1 b2", steps: "+genesis +a1 +b2"}},
		{"a waiting sibling does not hold up the tip", []replay.Post{genesis(), stacks("a1", "genesis", "2a"), stacks("b2", "b1", "3a"),
			stacks("a2", "a1", "3a"), stacks("a3", "a2", "4a")}, state{chain: "genesis a1 a2 a3", steps: "+genesis +a1 +a2 +a3", gaps: "b1"}},
		{"a branch that waited wins when its parent arrives",
			[]replay.Post{genesis(), stacks("a1", "genesis", "2a"), stacks("b2", "b1", "3a"), stacks("b3", "b2", "4a"),
				stacks("a2", "a1", "3a"), stacks("b1", "genesis", "2a")},
			state{chain: "genesis b1 b2 b3", steps: "+genesis +a1 +a2 -a2 -a1 +b1 +b2 +b3"}},
		{"gaps of several branches close one by one", []replay.Post{genesis(), stacks("a2", "a1", "3a"), stacks("b3", "b2", "4a"), stacks("c4", "c3", "5a"),
			stacks("b2", "b1", "3a"), stacks("a1", "genesis", "2a")}, state{chain: "genesis a1 a2", gaps: "b1 c3"}},
		{"a child that is not higher than its late parent goes to quarantine",
			[]replay.Post{genesis(), stacks("a1", "b7", "3a"), stacks("a2", "a1", "4a"), stacks("b7", "genesis", "2a")},
			state{chain: "genesis b7", steps: "+genesis +b7", quarantined: "2/block_height"}},
	})
}

func TestRoot(t *testing.T) {
	high := []replay.Post{stacks("a5000", "a4999", "800a"), stacks("a5001", "a5000", "801a")}
	run(t, chain.Recommended, []scenario{
		{"above genesis", high, state{chain: "a5000 a5001", steps: "+a5000 +a5001"}},
		{"some ancestors change nothing",
			append(high[:2:2], stacks("a4999", "a4998", "799a"), stacks("a4998", "a4997", "798a"), stacks("a5002", "a5001", "802a")),
			state{chain: "a5000 a5001 a5002", steps: "+a5000 +a5001 +a5002", gaps: "a4997"}},
		{"an empty genesis afterwards changes nothing", append(high[:2:2], genesis(empty), stacks("a5002", "a5001", "802a")),
			state{chain: "a5000 a5001 a5002", steps: "+a5000 +a5001 +a5002"}},
		{"a sibling of the root waits", append(high[:2:2], stacks("b5000", "a4999", "800a"), stacks("b5001", "b5000", "801a")),
			state{chain: "a5000 a5001", gaps: "a4999"}},
		{"all ancestors, from genesis upwards", []replay.Post{stacks("a3", "a2", "4a"), stacks("a4", "a3", "5a"),
			genesis(), stacks("a1", "genesis", "2a"), stacks("a2", "a1", "3a"), stacks("a5", "a4", "6a")},
			state{chain: "genesis a1 a2 a3 a4 a5", steps: "+a3 +a4 -a4 -a3 +genesis +a1 +a2 +a3 +a4 +a5"}},
		{"all ancestors, downwards to genesis", []replay.Post{stacks("a3", "a2", "4a"), stacks("a4", "a3", "5a"),
			stacks("a2", "a1", "3a"), stacks("a1", "genesis", "2a"), genesis()},
			state{chain: "genesis a1 a2 a3 a4", steps: "+a3 +a4 -a4 -a3 +genesis +a1 +a2 +a3 +a4"}},
		{"all ancestors, with siblings at the root that win later", []replay.Post{stacks("a3", "a2", "4a"), stacks("b3", "a2", "4a"), stacks("b4", "b3", "5a"),
			genesis(), stacks("a1", "genesis", "2a"), stacks("a2", "a1", "3a")},
			state{chain: "genesis a1 a2 b3 b4", steps: "+a3 -a3 +b3 +b4 -b4 -b3 +genesis +a1 +a2 +b3 +b4"}},
		{"another branch from genesis overtakes the chain above", []replay.Post{stacks("a3", "a2", "4a"),
			genesis(), stacks("b1", "genesis", "2a"), stacks("b2", "b1", "3a"), stacks("b3", "b2", "4a"), stacks("b4", "b3", "5a")},
			state{chain: "genesis b1 b2 b3 b4", steps: "+a3 -a3 +genesis +b1 +b2 +b3 +b4"}},
		{"an empty genesis first", []replay.Post{genesis(empty), stacks("a1", "genesis", "2a"), stacks("a2", "a1", "3a")},
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2"}},
		{"an empty genesis of a node far above it", append([]replay.Post{genesis(empty)}, high...),
			state{chain: "a5000 a5001", steps: "+genesis -genesis +a5000 +a5001"}},
		{"an empty genesis, then the first blocks in the wrong order", []replay.Post{genesis(empty), stacks("a2", "a1", "3a"), stacks("a1", "genesis", "2a")},
			state{chain: "genesis a1 a2", steps: "+genesis -genesis +a2 -a2 +genesis +a1 +a2"}},
		{"the full genesis after the empty one", []replay.Post{genesis(empty), genesis(), stacks("a1", "genesis", "2a")},
			state{chain: "genesis a1", steps: "+genesis -genesis +genesis +a1"}},
		{"the full genesis below a chain on the empty one",
			[]replay.Post{genesis(empty), stacks("a1", "genesis", "2a"), stacks("a2", "a1", "3a"), genesis(), genesis(empty)},
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2 -a2 -a1 -genesis +genesis +a1 +a2"}},
		{"the full genesis after an empty one that was given up", append([]replay.Post{genesis(empty)}, append(high[:2:2], genesis())...),
			state{chain: "a5000 a5001", steps: "+genesis -genesis +a5000 +a5001"}},
		{"the content of an empty block in the middle",
			[]replay.Post{genesis(), stacks("a1", "genesis", "2a", empty), stacks("a2", "a1", "3a"), stacks("a1", "genesis", "2a")},
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2 -a2 -a1 +a1 +a2"}},
		{"the content of an empty block that waits", []replay.Post{genesis(), stacks("a2", "a1", "3a", empty), stacks("a3", "a2", "4a"), stacks("a2", "a1", "3a"),
			stacks("a1", "genesis", "2a")}, state{chain: "genesis a1 a2 a3", steps: "+genesis +a1 +a2 +a3"}},
		{"the content of an empty block that contradicts its first announcement",
			[]replay.Post{genesis(), stacks("a1", "genesis", "2a", empty), stacks("a2", "a1", "3a"),
				stacks("a1", "genesis", "2a", with(map[string]any{"burn_block_time": uint64(1 << 63)})),
				stacks("a1", "genesis", "2a", with(map[string]any{"block_height": 7})),
				stacks("a1", "b9", "2a")},
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2",
				quarantined: "4/burn_block_time 5/block_height 6/parent_index_block_hash"}},
		{"a root that is its own parent", []replay.Post{stacks("a7", "a7", "2a"), stacks("a8", "a7", "3a")},
			state{chain: "a8", quarantined: "1/parent_index_block_hash"}},
		{"a root and its child that are each other's parents", []replay.Post{stacks("a7", "a8", "2a"), stacks("a8", "a7", "3a"), stacks("a9", "a8", "4a")},
			state{chain: "a7 a8 a9", steps: "+a7 +a8 +a9"}},
	})
}
