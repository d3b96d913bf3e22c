package synthchain

import (
	"slices"

	"strata/domain/bitcoin"
	"strata/domain/hash"
)

// burnBlock is a Bitcoin block.
type burnBlock struct {
	parent    *burnBlock // nil below the window
	height    uint64
	hash      hash.Hash32
	consensus hash.Hash20
	time      uint64
	winner    hash.Hash32 // Bitcoin transaction of the miner who was elected
	miner     *account
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

// Bounds of reward payments, in satoshis.
const (
	minCommit = 20_000
	maxCommit = 900_000
)

// mineBitcoin adds a Bitcoin block and queues its post.
func (c *Chain) mineBitcoin(parent *burnBlock, elects bool) *burnBlock {
	b := &burnBlock{
		parent: parent, height: parent.height + 1, hash: c.bitcoinHash(), consensus: c.hash20(),
		time: parent.time + 60 + c.random.Uint64N(1000), winner: c.random.Hash32(),
		miner: c.accounts[c.random.IntN(miners)], elects: elects,
	}
	body, reordered := c.encodeBurnBlock(b)
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

// payout is the payment of a block commit to one address.
type payout struct {
	address string
	amount  uint64
}

// encodeBurnBlock encodes the body twice. The recipients have a different order in reordered.
func (c *Chain) encodeBurnBlock(b *burnBlock) (body, reordered []byte) {
	var payouts []payout
	if b.elects && c.random.IntN(4) > 0 {
		for range 1 + c.random.IntN(2) {
			payouts = append(payouts, payout{c.payee(payouts), minCommit + c.random.Uint64N(maxCommit)})
		}
	}
	burned := uint64(0)
	if b.elects && len(payouts) == 0 {
		burned = minCommit + c.random.Uint64N(maxCommit)
	}
	commit := c.random.Hash32()
	write := func() []byte {
		dst := appendNumber([]byte(`{"burn_amount":`), burned)
		dst = appendHex(appendKey(dst, "burn_block_hash"), b.hash[:])
		dst = appendNumber(appendKey(dst, "burn_block_height"), b.height)
		if c.cfg.Generation >= V3109 {
			dst = appendHex(appendKey(dst, "consensus_hash"), b.consensus[:])
			dst = appendHex(appendKey(dst, "parent_burn_block_hash"), b.parent.hash[:])
		}
		if c.cfg.Generation >= V34 {
			dst = append(appendKey(dst, "pox_transactions"), '[')
			if len(payouts) > 0 {
				dst = append(dst, `{"reward_recipients":[`...)
				for i, p := range payouts {
					dst = appendPayout(dst, i, p, true)
				}
				dst = append(dst, ']')
				dst = append(appendHex(appendKey(dst, "txid"), commit[:]), '}')
			}
			dst = append(dst, ']')
		}
		dst = append(appendKey(dst, "reward_recipients"), '[')
		order := c.random.Perm(len(payouts))
		for i, n := range order {
			dst = appendPayout(dst, i, payouts[n], false)
		}
		dst = append(appendKey(append(dst, ']'), "reward_slot_holders"), '[')
		for i, p := range payouts {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendText(dst, p.address)
		}
		return append(dst, `]}`...)
	}
	return write(), write()
}

func appendPayout(dst []byte, i int, p payout, withOutput bool) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = appendNumber(append(dst, `{"amt":`...), p.amount)
	dst = appendText(appendKey(dst, "recipient"), p.address)
	if withOutput {
		dst = appendNumber(appendKey(dst, "utxo_idx"), uint64(i))
	}
	return append(dst, '}')
}

// payeesMax is the number of addresses that receive more than one payout.
const payeesMax = 8

// payee returns an address for a payout: every other time one that was paid before, but not by the same block.
func (c *Chain) payee(paid []payout) string {
	p := c.poxAddress()
	address, _ := p.Text(c.cfg.Network.bitcoin())
	if len(c.payees) < payeesMax {
		c.payees = append(c.payees, address)
		return address
	}
	known := c.payees[int(p.Hash[1])%payeesMax]
	if p.Hash[0]%2 == 0 || slices.ContainsFunc(paid, func(other payout) bool { return other.address == known }) {
		return address
	}
	return known
}

// bitcoinAddress returns a random address of any kind that stackers use.
func (c *Chain) bitcoinAddress() string {
	p := c.poxAddress()
	text, _ := p.Text(c.cfg.Network.bitcoin())
	return text
}

func (c *Chain) poxAddress() bitcoin.PoxAddress {
	kinds := []byte{bitcoin.PoxP2PKH, bitcoin.PoxP2SH}
	if c.cfg.Generation >= V21 {
		kinds = append(kinds, bitcoin.PoxP2WPKH, bitcoin.PoxP2WSH, bitcoin.PoxP2TR)
	}
	p := bitcoin.PoxAddress{Version: kinds[c.random.IntN(len(kinds))]}
	size := 20
	if p.Version >= bitcoin.PoxP2WSH {
		size = 32
	}
	p.Hash = make([]byte, size)
	c.random.Fill(p.Hash)
	return p
}
