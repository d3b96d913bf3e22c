package chain_test

import (
	"testing"

	"strata/projections/chain"
	"strata/rig/replay"
)

// threeTenures returns a chain whose blocks a1, a2 and a3 stand on the Bitcoin blocks 101a, 102a and 103a.
func threeTenures() []replay.Post {
	return []replay.Post{
		genesis(),
		bitcoin("101a", "100a"), stacks("a1", "genesis", "101a"),
		bitcoin("102a", "101a"), stacks("a2", "a1", "102a"),
		bitcoin("103a", "102a"), stacks("a3", "a2", "103a"),
	}
}

// threeOldTenures returns the same chain from a node that sends neither parents nor sortitions of Bitcoin blocks.
func threeOldTenures() []replay.Post {
	return []replay.Post{
		genesis(old),
		oldBitcoin("101a"), stacks("a1", "genesis", "101a", old),
		oldBitcoin("102a"), stacks("a2", "a1", "102a", old),
		oldBitcoin("103a"), stacks("a3", "a2", "103a", old),
	}
}

const threeApplied = "+genesis +a1 +a2 +a3"

func TestBitcoinFork(t *testing.T) {
	run(t, chain.Recommended, []scenario{
		{"the tip falls back to the last good block", append(threeTenures(), bitcoin("102b", "101a")),
			state{chain: "genesis a1", steps: threeApplied + " -a3 -a2", burn: "101a 102b"}},
		{"the chain regrows on the new fork", append(threeTenures(), bitcoin("102b", "101a"), stacks("b2", "a1", "102b")),
			state{chain: "genesis a1 b2", steps: threeApplied + " -a3 -a2 +b2"}},
		{"blocks on an orphaned Bitcoin block are stored and not followed, whatever their height", append(threeTenures(), bitcoin("102b", "101a"), stacks("b2", "a1", "102b"),
			stacks("a4", "a3", "103a"), stacks("a5", "a4", "103a")), state{chain: "genesis a1 b2", steps: threeApplied + " -a3 -a2 +b2"}},
		{"a Bitcoin block on the orphaned fork brings its chain back at once, without a Stacks block",
			append(threeTenures(), bitcoin("102b", "101a"), stacks("b2", "a1", "102b"), bitcoin("103b", "102b"), stacks("b3", "b2", "103b"),
				bitcoin("104b", "103b"), stacks("b4", "b3", "104b"), bitcoin("104a", "103a")),
			state{chain: "genesis a1 a2 a3", burn: "101a 102a 103a 104a",
				steps: threeApplied + " -a3 -a2 +b2 +b3 +b4 -b4 -b3 -b2 +a2 +a3"}},
		{"forth, back and forth again", append(threeTenures(), bitcoin("102b", "101a"), stacks("b2", "a1", "102b"), bitcoin("104a", "103a"),
			bitcoin("103b", "102b"), bitcoin("105a", "104a"), stacks("a4", "a3", "105a")),
			state{chain: "genesis a1 a2 a3 a4", burn: "101a 102a 103a 104a 105a",
				steps: threeApplied + " -a3 -a2 +b2 -b2 +a2 +a3 -a3 -a2 +b2 -b2 +a2 +a3 +a4"}},
		{"the fork of a fork", append(threeTenures(), bitcoin("102b", "101a"), stacks("b2", "a1", "102b"), bitcoin("103b", "102b"), stacks("b3", "b2", "103b"),
			bitcoin("103c", "102b"), stacks("c3", "b2", "103c")),
			state{chain: "genesis a1 b2 c3", burn: "101a 102b 103c", steps: threeApplied + " -a3 -a2 +b2 +b3 -b3 +c3"}},
		{"an identical announcement brings a Bitcoin block and its ancestors back", append(threeTenures(), bitcoin("102b", "101a"), bitcoin("103a", "102a")),
			state{chain: "genesis a1 a2 a3", burn: "101a 102a 103a", steps: threeApplied + " -a3 -a2 +a2 +a3"}},
		{"an identical announcement of a followed one changes nothing", append(threeTenures(), bitcoin("102a", "101a"), bitcoin("101a", "100a")),
			state{chain: "genesis a1 a2 a3", burn: "101a 102a 103a", steps: threeApplied}},
		{"a Bitcoin block where nothing is known orphans nothing", append(threeTenures(), bitcoin("99x", "98x"), bitcoin("100a", "99x")),
			state{chain: "genesis a1 a2 a3", burn: "99x 100a 101a 102a 103a", steps: threeApplied}},
		{"a Bitcoin block that fills a hole orphans nothing", []replay.Post{genesis(), bitcoin("101a", "100a"), stacks("a1", "genesis", "101a"),
			bitcoin("103a", "102a"), stacks("a2", "a1", "103a"), bitcoin("102a", "101a")},
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2", burn: "101a 102a 103a"}},
		{"a Bitcoin block that was never announced counts as good", []replay.Post{genesis(), stacks("a1", "genesis", "101a"), bitcoin("102a", "101a"), stacks("a2", "a1", "102a"),
			bitcoin("102b", "101a")}, state{chain: "genesis a1", steps: "+genesis +a1 +a2 -a2"}},
		{"the child of an orphaned block falls with it, although its own Bitcoin block was never announced",
			[]replay.Post{genesis(), bitcoin("101a", "100a"), stacks("a1", "genesis", "101a"), bitcoin("102a", "101a"),
				stacks("a2", "a1", "102a"), stacks("a3", "a2", "103x"), bitcoin("102b", "101a")},
			state{chain: "genesis a1", steps: threeApplied + " -a3 -a2"}},
		{"the best of the good blocks becomes the tip, not the one below the orphaned ones", append(threeTenures(), stacks("c2", "a1", "101a"), stacks("c3", "c2", "101a"), stacks("d3", "c2", "101a"),
			bitcoin("102b", "101a")), state{chain: "genesis a1 c2 c3", steps: threeApplied + " -a3 -a2 +c2 +c3"}},
		{"when even the lowest block is orphaned, the tip stays until there is a better one",
			[]replay.Post{bitcoin("101a", "100a"), stacks("a7", "a6", "101a"), bitcoin("101b", "100a"), stacks("b8", "a7", "102b")},
			state{chain: "a7 b8", steps: "+a7 +b8", burn: "101b"}},
		{"what names a replaced block as its parent leaves with it",
			append(threeTenures()[:5:5], bitcoin("102b", "101a"), bitcoin("103b", "102b"), bitcoin("104b", "103b"), stacks("a3", "a2", "105x")),
			state{chain: "genesis a1 a2 a3", steps: "+genesis +a1 +a2 -a2 +a2 +a3", burn: "101a 102a"}},
		{"what is above the hole that the others left stays, and so does what fills the hole",
			append(threeTenures()[:5:5], bitcoin("102b", "101a"), bitcoin("103b", "102b"), bitcoin("105a", "104a"), stacks("a3", "a2", "105a"),
				bitcoin("104a", "103a"), bitcoin("103a", "102a")),
			state{chain: "genesis a1 a2 a3", steps: "+genesis +a1 +a2 -a2 +a2 +a3", burn: "101a 102a 103a 104a 105a"}},
		{"a Bitcoin block whose parent was lost orphans the one that is in its place", append(threeTenures(), bitcoin("104b", "103b")),
			state{chain: "genesis a1 a2", steps: threeApplied + " -a3", burn: "101a 102a 104b"}},
		{"the lost parent comes late", append(threeTenures(), bitcoin("104b", "103b"), bitcoin("103b", "102b")),
			state{chain: "genesis a1", steps: threeApplied + " -a3 -a2", burn: "101a 103b 104b"}},
		{"a Bitcoin block directly below one that names another parent orphans that", append(threeTenures(), bitcoin("104b", "103b"), bitcoin("103a", "102a")),
			state{chain: "genesis a1 a2 a3", steps: threeApplied + " -a3 +a3", burn: "101a 102a 103a"}},
		{"a block whose ancestors can't be on one fork with its own Bitcoin block is not followed",
			append(threeTenures(), bitcoin("102b", "101a"), bitcoin("103b", "102b"), stacks("b4", "a3", "103b"), stacks("b3", "a2", "103b")),
			state{chain: "genesis a1", steps: threeApplied + " -a3 -a2", burn: "101a 102b 103b"}},
		{"what is restored makes a higher block good, too",
			append(threeTenures(), stacks("a4", "a3", "104x"), stacks("a5", "a4", "104x"), bitcoin("102b", "101a"), bitcoin("103b", "102b"),
				bitcoin("104b", "103b"), stacks("c4", "a3", "104x")),
			state{chain: "genesis a1 a2 a3 a4 a5", steps: threeApplied + " +a4 +a5 -a5 -a4 -a3 -a2 +a2 +a3 +a4 +a5", burn: "101a 102a 103a"}},
		{"a first block on an orphaned Bitcoin block is not followed",
			[]replay.Post{bitcoin("101a", "100a"), bitcoin("101b", "100a"), stacks("a7", "a6", "101a"), stacks("b7", "a6", "101b")},
			state{chain: "b7", steps: "+b7"}},
		{"a first block is followed when its Bitcoin block comes back",
			[]replay.Post{bitcoin("101a", "100a"), bitcoin("101b", "100a"), stacks("a7", "a6", "101a"), bitcoin("101a", "100a")},
			state{chain: "a7", steps: "+a7", burn: "101a"}},
		{"what fell with an earlier fork stays away at a later one", append(threeTenures(), stacks("a4", "a3", "104x"), stacks("a5", "a4", "104x"),
			bitcoin("102b", "101a"), stacks("b2", "a1", "102b"), bitcoin("103b", "102b"), stacks("b3", "b2", "103b"), bitcoin("104b", "103b"),
			bitcoin("105b", "104b"), bitcoin("106b", "105b"), stacks("b4", "b3", "106b"), bitcoin("106c", "105b")),
			state{chain: "genesis a1 b2 b3", burn: "101a 102b 103b 104b 105b 106c"}},
		{"a late parent does not bring an orphaned child in", []replay.Post{genesis(), bitcoin("101a", "100a"), bitcoin("102a", "101a"), stacks("a2", "a1", "102a"),
			bitcoin("102b", "101a"), stacks("a1", "genesis", "101a")}, state{chain: "genesis a1", steps: "+genesis +a1"}},
	})
}

func TestOldBitcoinFork(t *testing.T) {
	fork := append(threeOldTenures(), oldBitcoin("102b"), stacks("b2", "a1", "102b", old))
	forked := threeApplied + " -a3 -a2 +b2"
	run(t, chain.Recommended, []scenario{
		{"the tip falls back and regrows", fork, state{chain: "genesis a1 b2", steps: forked, burn: "101a 102b"}},
		{"a Bitcoin block without a link brings nothing back", append(fork[:len(fork):len(fork)], oldBitcoin("104a")),
			state{chain: "genesis a1 b2", steps: forked, burn: "101a 102b 104a"}},
		{"a new Stacks block on the old branch brings back its ancestors",
			append(fork[:len(fork):len(fork)], oldBitcoin("104a"), stacks("a4", "a3", "104a", old)),
			state{chain: "genesis a1 a2 a3 a4", steps: forked + " -b2 +a2 +a3 +a4", burn: "101a 102a 103a 104a"}},
		{"a new Stacks block on the old branch leaves the other branch orphaned",
			append(fork[:len(fork):len(fork)], oldBitcoin("104a"), stacks("a4", "a3", "104a", old),
				stacks("b3", "b2", "102b", old), stacks("b4", "b3", "102b", old), stacks("b5", "b4", "102b", old)),
			state{chain: "genesis a1 a2 a3 a4", steps: forked + " -b2 +a2 +a3 +a4"}},
		{"another block at the height of one that was brought back replaces it",
			append(threeOldTenures(), oldBitcoin("102b"), stacks("a4", "a3", "104a", old), oldBitcoin("103c")),
			state{chain: "genesis a1 a2", steps: threeApplied + " -a3 -a2 +a2 +a3 +a4 -a4 -a3", burn: "101a 102a 103c"}},
		{"an announcement with the sortition brings back what was announced without", append(threeOldTenures(), oldBitcoin("102b"), bitcoin("102a", "101a")),
			state{chain: "genesis a1 a2", steps: threeApplied + " -a3 -a2 +a2", burn: "101a 102a"}},
		{"a node that names sortitions and parents announces the same again", append(threeOldTenures(), bitcoin("101a", "100a"), bitcoin("102a", "101a")),
			state{chain: "genesis a1 a2 a3", steps: threeApplied, burn: "101a 102a 103a"}},
		{"a node that names neither announces the same again", append(threeTenures(), oldBitcoin("101a"), oldBitcoin("102a")),
			state{chain: "genesis a1 a2 a3", steps: threeApplied, burn: "101a 102a 103a"}},
		{"what is announced without a sortition is the followed one of two", append(threeTenures(), bitcoin("102a'", "101a"), stacks("b2", "a1", "102a'"), oldBitcoin("102a")),
			state{chain: "genesis a1 b2", steps: threeApplied + " -a3 -a2 +b2", burn: "101a 102a'"}},
		{"an identical announcement brings a Bitcoin block back, lowest first", append(fork[:len(fork):len(fork)], oldBitcoin("102a"), oldBitcoin("103a")),
			state{chain: "genesis a1 a2 a3", steps: forked + " -b2 +a2 +a3", burn: "101a 102a 103a"}},
	})
}

// TestSortition checks Bitcoin blocks that are announced again with another sortition (a fork of proof of transfer).
func TestSortition(t *testing.T) {
	run(t, chain.Recommended, []scenario{
		{"another sortition of a block orphans from its height on", append(threeTenures(), bitcoin("102a'", "101a")),
			state{chain: "genesis a1", steps: threeApplied + " -a3 -a2", burn: "101a 102a'"}},
		{"the chain regrows on it", append(threeTenures(), bitcoin("102a'", "101a"), stacks("b2", "a1", "102a'")),
			state{chain: "genesis a1 b2", steps: threeApplied + " -a3 -a2 +b2"}},
		{"the first sortition comes back by its announcement", append(threeTenures(), bitcoin("102a'", "101a"), bitcoin("102a", "101a")),
			state{chain: "genesis a1 a2", steps: threeApplied + " -a3 -a2 +a2", burn: "101a 102a"}},
		{"of blocks announced without a sortition, those on later Bitcoin blocks are orphaned", []replay.Post{
			genesis(old), bitcoin("101a", "100a"), stacks("a1", "genesis", "101a", old), bitcoin("102a", "101a"), stacks("a2", "a1", "102a", old),
			bitcoin("103a", "102a"), stacks("a3", "a2", "103a", old), bitcoin("102a'", "101a"),
		}, state{chain: "genesis a1 a2", steps: threeApplied + " -a3", burn: "101a 102a'"}},
		{"with a link to a block of two sortitions, the followed one stays", append(threeTenures(), bitcoin("102a'", "101a"), stacks("b2", "a1", "102a'"), bitcoin("103c", "102a"),
			stacks("b3", "b2", "103c")), state{chain: "genesis a1 b2 b3", steps: threeApplied + " -a3 -a2 +b2 +b3", burn: "101a 102a' 103c"}},
	})
}

// TestBurnView checks tenures that were extended after a later Bitcoin block.
func TestBurnView(t *testing.T) {
	tenure := []replay.Post{
		genesis(),
		bitcoin("101a", "100a"), stacks("a1", "genesis", "101a"), stacks("a2", "a1", "101a"),
		bitcoin("102a", "101a"), stacks("a3", "a2", "101a", extended("102a")), stacks("a4", "a3", "101a"),
	}
	applied := "+genesis +a1 +a2 +a3 +a4"
	run(t, chain.Recommended, []scenario{
		{"blocks after the extension fall with the Bitcoin block that it has seen", append(tenure[:len(tenure):len(tenure)], bitcoin("102b", "101a")),
			state{chain: "genesis a1 a2", steps: applied + " -a4 -a3"}},
		{"blocks after the extension come back with that Bitcoin block",
			append(tenure[:len(tenure):len(tenure)], bitcoin("102b", "101a"), bitcoin("103a", "102a")),
			state{chain: "genesis a1 a2 a3 a4", steps: applied + " -a4 -a3 +a3 +a4"}},
		{"a tenure extended again on the other fork", append(tenure[:len(tenure):len(tenure)], bitcoin("102b", "101a"), stacks("b3", "a2", "101a", extended("102b")),
			stacks("b4", "b3", "101a"), stacks("a5", "a4", "101a")), state{chain: "genesis a1 a2 b3 b4", steps: applied + " -a4 -a3 +b3 +b4"}},
		{"a block of the extended tenure that waited for its parent",
			[]replay.Post{genesis(), bitcoin("101a", "100a"), stacks("a1", "genesis", "101a"), bitcoin("102a", "101a"),
				stacks("a3", "a2", "101a"), stacks("a2", "a1", "101a", extended("102a")), bitcoin("102b", "101a")},
			state{chain: "genesis a1", steps: "+genesis +a1 +a2 +a3 -a3 -a2"}},
		{"the next tenure on an extended one", append(tenure[:len(tenure):len(tenure)], bitcoin("103a", "102a"), stacks("a5", "a4", "103a"),
			bitcoin("103b", "102a"), stacks("b5", "a4", "103b")), state{chain: "genesis a1 a2 a3 a4 b5", steps: applied + " +a5 -a5 +b5"}},
	})
}
