package chain_test

import (
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/projections/chain"
	"strata/rig/replay"
)

func TestRecommended(t *testing.T) {
	below := []replay.Post{genesis(), stacks("a1", "genesis", "2a")}
	run(t, chain.Recommended, []scenario{
		{"the higher block wins", append(below[:2:2], stacks("a2", "a1", "3a"), stacks("b2", "a1", "3a"), stacks("b3", "b2", "3a")),
			state{chain: "genesis a1 b2 b3", steps: "+genesis +a1 +a2 -a2 +b2 +b3"}},
		{"at the same height the later Bitcoin block wins, when it is seen second", append(below[:2:2], stacks("a2", "a1", "3a"), stacks("b2", "a1", "4a")),
			state{chain: "genesis a1 b2", steps: "+genesis +a1 +a2 -a2 +b2"}},
		{"at the same height the later Bitcoin block wins, when it is seen first", append(below[:2:2], stacks("b2", "a1", "4a"), stacks("a2", "a1", "3a")),
			state{chain: "genesis a1 b2", steps: "+genesis +a1 +b2"}},
		{"at the same height and Bitcoin block the first seen stays", append(below[:2:2], stacks("b2", "a1", "3a"), stacks("a2", "a1", "3a")),
			state{chain: "genesis a1 b2", steps: "+genesis +a1 +b2"}},
		{"a late tenure replaces the last block of the tenure before", append(below[:2:2], stacks("a2", "a1", "2a"), stacks("a3", "a2", "2a"), stacks("b3", "a2", "3a"),
			stacks("b4", "b3", "3a")), state{chain: "genesis a1 a2 b3 b4", steps: "+genesis +a1 +a2 +a3 -a3 +b3 +b4"}},
		{"a branch that lost comes back from storage", append(below[:2:2], stacks("a2", "a1", "3a"), stacks("b2", "a1", "4a"), stacks("b3", "b2", "5a"),
			stacks("a3", "a2", "4a"), stacks("a4", "a3", "5a")),
			state{chain: "genesis a1 a2 a3 a4", steps: "+genesis +a1 +a2 -a2 +b2 +b3 -b3 -b2 +a2 +a3 +a4"}},
	})
}

func TestReference(t *testing.T) {
	below := []replay.Post{genesis(), stacks("a1", "genesis", "2a"), bitcoin("3a", "2a"), stacks("a2", "a1", "3a")}
	run(t, chain.Reference, []scenario{
		{"at the same height the first seen stays", append(below[:4:4], stacks("b2", "a1", "4a")),
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2"}},
		{"the higher block wins", append(below[:4:4], stacks("b2", "a1", "4a"), stacks("b3", "b2", "5a")), state{chain: "genesis a1 b2 b3"}},
		{"forks of Bitcoin are ignored", append(below[:4:4], bitcoin("3b", "2a"), stacks("b2", "a1", "3b"), bitcoin("4b", "3b")),
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2", burn: "3b 4b"}},
		{"a block on an orphaned Bitcoin block wins too", append(below[:4:4], bitcoin("3b", "2a"), stacks("a3", "a2", "3a")),
			state{chain: "genesis a1 a2 a3"}},
	})
}

// TestReferenceOfRecordings folds what nodes posted, one event at a time, and compares the tip after each with the rule of
// stacks-blockchain-api: the first block above all that came before it. In one recording the node itself ended on the other
// block of the greatest height.
func TestReferenceOfRecordings(t *testing.T) {
	short.Skip(t, "folds all recordings")
	t.Parallel()
	reverted := map[string]bool{}
	for _, folder := range []string{"events", "node"} {
		files := must.Get(filepath.Glob(filepath.Join(replay.SharedData(t), folder, "*.tsv.gz")))(t)
		if len(files) == 0 {
			t.Errorf("there are no recordings in %s", folder)
		}
		for _, file := range files {
			name := filepath.Base(file)
			items := replay.Decode(t, replay.Archive(t, folder, name))
			replay.InTx(t, databases.NewFresh(t), func(tx pgx.Tx) {
				c := must.Get(chain.New(chain.Reference, nil))(t)
				attached := map[hash.Hash32]bool{}
				var height uint64
				var tip hash.Hash32
				for i, item := range items {
					outcome := must.Get(c.Fold(t.Context(), tx, int64(i), items[i:i+1]))(t)
					if b := item.Block; b != nil && !attached[b.IndexBlockHash] {
						if len(attached) > 0 && !attached[b.ParentIndexBlockHash] {
							t.Fatalf("%s, event %d: the parent of block %s is unknown", name, i+1, b.IndexBlockHash)
						}
						if attached[b.IndexBlockHash] = true; len(attached) == 1 || b.Height > height {
							reverted[name] = reverted[name] || len(attached) > 1 && b.ParentIndexBlockHash != tip
							height, tip = b.Height, b.IndexBlockHash
						}
					}
					if outcome.Tip != nil && outcome.Tip.IndexBlockHash != tip || outcome.Tip == nil && len(attached) > 0 {
						t.Fatalf("%s, event %d: the tip is %+v, want block %s at height %d", name, i+1, outcome.Tip, tip, height)
					}
				}
				checkSteps(t, tx)
			})
		}
	}
	for _, name := range []string{"mainnet-reorg-scenario1.tsv.gz", "nakamoto-epoch4.tsv.gz"} {
		if !reverted[name] {
			t.Errorf("no block was reverted in %s", name)
		}
	}
}

func TestUnknownRule(t *testing.T) {
	t.Parallel()
	if _, err := chain.New("longest", nil); err == nil {
		t.Error("New accepted an unknown rule")
	}
}
