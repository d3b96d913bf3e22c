package chain_test

import (
	"testing"

	"strata/projections/chain"
	"strata/rig/replay"
)

func TestRecommended(t *testing.T) {
	below := []replay.Post{genesis(), stacks("a1", "genesis", "2a")}
	run(t, chain.Recommended, []scenario{
		{
			name:  "the higher block wins",
			posts: append(below[:2:2], stacks("a2", "a1", "3a"), stacks("b2", "a1", "3a"), stacks("b3", "b2", "3a")),
			want:  state{chain: "genesis a1 b2 b3", steps: "+genesis +a1 +a2 -a2 +b2 +b3"},
		},
		{
			name:  "at the same height the later Bitcoin block wins, when it is seen second",
			posts: append(below[:2:2], stacks("a2", "a1", "3a"), stacks("b2", "a1", "4a")),
			want:  state{chain: "genesis a1 b2", steps: "+genesis +a1 +a2 -a2 +b2"},
		},
		{
			name:  "at the same height the later Bitcoin block wins, when it is seen first",
			posts: append(below[:2:2], stacks("b2", "a1", "4a"), stacks("a2", "a1", "3a")),
			want:  state{chain: "genesis a1 b2", steps: "+genesis +a1 +b2"},
		},
		{
			name:  "at the same height and Bitcoin block the first seen stays",
			posts: append(below[:2:2], stacks("b2", "a1", "3a"), stacks("a2", "a1", "3a")),
			want:  state{chain: "genesis a1 b2", steps: "+genesis +a1 +b2"},
		},
		{
			name: "a late tenure replaces the last block of the tenure before",
			posts: append(below[:2:2], stacks("a2", "a1", "2a"), stacks("a3", "a2", "2a"), stacks("b3", "a2", "3a"),
				stacks("b4", "b3", "3a")),
			want: state{chain: "genesis a1 a2 b3 b4", steps: "+genesis +a1 +a2 +a3 -a3 +b3 +b4"},
		},
		{
			name: "a branch that lost comes back from storage",
			posts: append(below[:2:2], stacks("a2", "a1", "3a"), stacks("b2", "a1", "4a"), stacks("b3", "b2", "5a"),
				stacks("a3", "a2", "4a"), stacks("a4", "a3", "5a")),
			want: state{chain: "genesis a1 a2 a3 a4", steps: "+genesis +a1 +a2 -a2 +b2 +b3 -b3 -b2 +a2 +a3 +a4"},
		},
	})
}

func TestReference(t *testing.T) {
	below := []replay.Post{genesis(), stacks("a1", "genesis", "2a"), bitcoin("3a", "2a"), stacks("a2", "a1", "3a")}
	run(t, chain.Reference, []scenario{
		{
			name:  "at the same height the first seen stays",
			posts: append(below[:4:4], stacks("b2", "a1", "4a")),
			want:  state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2"},
		},
		{
			name:  "the higher block wins",
			posts: append(below[:4:4], stacks("b2", "a1", "4a"), stacks("b3", "b2", "5a")),
			want:  state{chain: "genesis a1 b2 b3"},
		},
		{
			name:  "forks of Bitcoin are ignored",
			posts: append(below[:4:4], bitcoin("3b", "2a"), stacks("b2", "a1", "3b"), bitcoin("4b", "3b")),
			want:  state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2", burn: "3b 4b"},
		},
		{
			name:  "a block on an orphaned Bitcoin block wins too",
			posts: append(below[:4:4], bitcoin("3b", "2a"), stacks("a3", "a2", "3a")),
			want:  state{chain: "genesis a1 a2 a3"},
		},
	})
}

func TestUnknownRule(t *testing.T) {
	t.Parallel()
	if _, err := chain.New("longest", nil); err == nil {
		t.Error("New accepted an unknown rule")
	}
}
