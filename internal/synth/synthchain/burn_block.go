package synthchain

import (
	"bytes"
	"slices"

	"strata/domain/bitcoin"
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/nodejson"
)

// burnBlock is a Bitcoin block.
type burnBlock struct {
	parent    *burnBlock // nil below the window
	height    uint64
	hash      hash.Hash32
	consensus hash.Hash20
	time      uint64
	winner    hash.Hash32 // Bitcoin transaction of the miner who was elected
	miner     *account.Account
	elects    bool // whether a miner was elected
	used      bool // whether a Stacks block or tenure started with it
	seen      bool // whether the post was handed out
	orphaned  bool
	post      Post
}

// descendsFrom reports whether a is b or an ancestor of b within the window.
func (b *burnBlock) descendsFrom(a *burnBlock) bool {
	for b != nil && b.height > a.height {
		b = b.parent
	}
	return b == a
}

// facts returns what posts tell about the block.
func (b *burnBlock) facts() nodejson.BurnBlock {
	f := nodejson.BurnBlock{Height: b.height, Hash: b.hash, Consensus: b.consensus, Time: b.time, Winner: b.winner}
	if b.parent != nil {
		f.Parent = b.parent.hash
	}
	return f
}

// Bounds of reward payments, in satoshis.
const (
	minCommit = 20_000
	maxCommit = 900_000
)

// mineBitcoin adds a Bitcoin block and queues its post.
func (c *Chain) mineBitcoin(parent *burnBlock, elects bool) *burnBlock {
	b := &burnBlock{
		parent: parent, height: parent.height + 1, hash: c.bitcoinHash(), consensus: c.consensusHash(),
		time: parent.time + 60 + c.random.Uint64N(1000), winner: c.random.Hash32(),
		miner: c.accounts[c.random.IntN(miners)], elects: elects,
	}
	facts, commit := b.facts(), c.commit(b.height, elects)
	body := c.encoder.BurnBlock(facts, commit)
	reordered := c.encoder.BurnBlock(facts, commit) // the recipients have another order
	b.post = Post{Path: "/new_burn_block", Body: body}
	c.burns = append(c.burns, b)
	c.queue = append(c.queue, delivery{post: b.post, see: func() { c.seeBurnBlock(b) }})
	// Only the last burn block is repeated, as nodes do. One that came again after others could mean that Bitcoin went
	// back to it.
	if c.random.Chance(c.cfg.DuplicateProbability) {
		c.queue = append(c.queue, delivery{post: Post{Path: b.post.Path, Body: reordered}})
	}
	return b
}

// bitcoinHash returns a hash with leading zeros, like that of a block with proof of work.
func (c *Chain) bitcoinHash() hash.Hash32 {
	h := c.random.Hash32()
	clear(h[:8])
	return h
}

func (c *Chain) consensusHash() (h hash.Hash20) {
	c.random.Fill(h[:])
	return h
}

// commit returns what the miners of a Bitcoin block spend.
func (c *Chain) commit(height uint64, elects bool) nodejson.Commit {
	var commit nodejson.Commit
	if c.waterfall(height) {
		// One output pays the signers of sBTC; nothing is burned.
		if elects {
			commit.Payouts = []nodejson.Payout{{Address: c.waterfallAddress(), Amount: minCommit + c.random.Uint64N(maxCommit)}}
		}
		commit.Txid = c.random.Hash32()
		return commit
	}
	if elects && c.random.IntN(4) > 0 {
		for range 1 + c.random.IntN(2) {
			commit.Payouts = append(commit.Payouts, nodejson.Payout{
				Address: c.payee(commit.Payouts), Amount: minCommit + c.random.Uint64N(maxCommit),
			})
		}
	}
	if elects && len(commit.Payouts) == 0 {
		commit.Burned = minCommit + c.random.Uint64N(maxCommit)
	}
	commit.Txid = c.random.Hash32()
	return commit
}

// waterfall reports whether the commits at a burn height pay for pox-5: from the start of its first cycle on.
func (c *Chain) waterfall(height uint64) bool {
	if !c.cfg.AllEpochs {
		return false
	}
	clock := c.rules.StakingClock()
	return int64(height) >= clock.Start(clock.FirstBond)
}

// waterfallAddress returns the address of the signers of sBTC.
func (c *Chain) waterfallAddress() string {
	address := bitcoin.PoxAddress{Version: bitcoin.PoxP2TR, Hash: bytes.Repeat([]byte{0x5b}, 32)}
	text, _ := address.Text(c.cfg.Network.Bitcoin())
	return text
}

// payeesMax is the number of addresses that receive more than one payout.
const payeesMax = 8

// payee returns an address for a payout: every other time one that was paid before, but not by the same block.
func (c *Chain) payee(paid []nodejson.Payout) string {
	p, address := c.planner.RewardAddress()
	if len(c.payees) < payeesMax {
		c.payees = append(c.payees, address)
		return address
	}
	known := c.payees[int(p.Hash[1])%payeesMax]
	if p.Hash[0]%2 == 0 || slices.ContainsFunc(paid, func(other nodejson.Payout) bool { return other.Address == known }) {
		return address
	}
	return known
}
