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
	elects    bool // whether there is a winner
	used      bool // whether a Stacks block or tenure began with it
	seen      bool
	orphaned  bool
	post      Post
}

// descendsFrom reports whether a is b or an ancestor of b, as far as the window reaches.
func (b *burnBlock) descendsFrom(a *burnBlock) bool {
	for b != nil && b.height > a.height {
		b = b.parent
	}
	return b == a
}

// satoshi amounts of reward payments.
const (
	minCommit = 20_000
	maxCommit = 900_000
)

// mineBitcoin adds a Bitcoin block and announces it.
func (c *Chain) mineBitcoin(parent *burnBlock, elects bool) *burnBlock {
	b := &burnBlock{
		parent: parent, height: parent.height + 1, hash: c.bitcoinHash(), consensus: c.hash20(),
		time: parent.time + 60 + c.random.Uint64N(1000), winner: c.hash32(),
		miner: c.accounts[c.random.IntN(miners)], elects: elects,
	}
	body, again := c.encodeBurnBlock(b)
	b.post = Post{Path: "/new_burn_block", Body: body}
	c.burns = append(c.burns, b)
	c.queue = append(c.queue, delivery{post: b.post, see: func() { c.seeBurnBlock(b) }})
	// A burn block that comes again when others have come between could mean that Bitcoin went back to it. Nodes repeat
	// the last one only.
	if c.chance(c.cfg.DuplicateProbability) {
		c.queue = append(c.queue, delivery{post: Post{Path: b.post.Path, Body: again}})
	}
	return b
}

// bitcoinHash looks like the hash of a block with proof of work.
func (c *Chain) bitcoinHash() hash.Hash32 {
	h := c.hash32()
	clear(h[:8])
	return h
}

// payout is what a commit paid to one address.
type payout struct {
	address string
	amount  uint64
}

// encodeBurnBlock writes the body twice, the second time with recipients in another order.
func (c *Chain) encodeBurnBlock(b *burnBlock) (body, again []byte) {
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
	commit := c.hash32()
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

// payeesMax is how many addresses get more than one payout.
const payeesMax = 8

// payee is an address that is paid: every other time one that was paid before, though not by the same block.
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

// bitcoinAddress is a random address of any kind that stackers use.
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
	c.fill(p.Hash)
	return p
}
