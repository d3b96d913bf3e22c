package synthchain

import (
	"crypto/sha512"
	"slices"

	header "strata/domain/block/microblock"
	"strata/domain/hash"
	"strata/internal/synth/undo"
)

// microblock is a block that a miner streams after its own block. The next block confirms some microblocks.
type microblock struct {
	header     header.Header
	hash       hash.Hash32
	receipts   []*receipt
	operations []*operation
	changes    []undo.Change
}

// streamLength is the maximum number of microblocks on a block.
const streamLength = 3

// streamMicroblocks builds microblocks on top of b and usually queues their posts.
func (c *Chain) streamMicroblocks(b *block) {
	c.model.moveTo(b)
	x := &execution{model: c.model, chain: c, height: b.height + 1, burn: b.burn.height}
	previous := b.hash
	for sequence := range 1 + c.random.IntN(streamLength) {
		m := &microblock{header: header.Header{Sequence: uint16(sequence), PrevBlock: previous}}
		digest := sha512.New512_256()
		for range 1 + c.random.IntN(3) {
			o := c.plan(x)
			if o == nil {
				break
			}
			c.announce(o)
			r := x.execute(o)
			r.micro = m
			m.receipts = append(m.receipts, r)
			m.operations = append(m.operations, o)
			digest.Write(o.txid[:])
		}
		m.changes = c.model.Take()
		if len(m.receipts) == 0 {
			break
		}
		m.header.TxMerkleRoot = hash.Hash32(digest.Sum(nil))
		m.header.Sign(b.miner.keys[0])
		m.hash = m.header.Hash()
		previous = m.hash
		b.stream = append(b.stream, m)
	}
	for _, m := range slices.Backward(b.stream) {
		undo.All(m.changes)
	}
	if len(b.stream) == 0 || c.random.IntN(6) == 0 {
		return // not posted: observers first see them in the block that confirms them
	}
	if c.random.IntN(2) == 0 {
		c.deliverMicroblocks(b, b.stream)
		return
	}
	for i := range b.stream {
		c.deliverMicroblocks(b, b.stream[i:i+1])
	}
}

func (c *Chain) deliverMicroblocks(b *block, stream []*microblock) {
	body, reordered := c.encodeMicroblocks(b, stream), c.encodeMicroblocks(b, stream)
	c.deliver(delivery{post: Post{Path: "/new_microblocks", Body: body}}, reordered)
}

// confirm executes the first microblocks of the parent's stream again, usually all of them, and returns them.
func (c *Chain) confirm(parent *block) []*microblock {
	n := len(parent.stream)
	if n > 0 && c.random.IntN(4) == 0 {
		n = c.random.IntN(n)
	}
	for _, m := range parent.stream[:n] {
		c.model.Repeat(m.changes)
	}
	return parent.stream[:n]
}

// encodeMicroblocks encodes the body of /new_microblocks. The indexes of transactions start at 0 in each microblock;
// those of events count over all microblocks.
func (c *Chain) encodeMicroblocks(b *block, stream []*microblock) []byte {
	var receipts []*receipt
	for _, m := range stream {
		receipts = append(receipts, m.receipts...)
	}
	dst := c.buffer[:0]
	dst = appendHex(append(dst, `{"burn_block_hash":`...), b.burn.hash[:])
	dst = appendNumber(appendKey(dst, "burn_block_height"), b.burn.height)
	dst = appendNumber(appendKey(dst, "burn_block_timestamp"), b.burn.time)
	dst = c.appendEvents(appendKey(dst, "events"), receipts)
	dst = appendHex(appendKey(dst, "parent_index_block_hash"), b.index[:])
	dst = append(appendKey(dst, "transactions"), '[')
	first := true
	for _, m := range stream {
		for i, r := range m.receipts {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = r.append(dst, c.cfg.Generation, i)
		}
	}
	dst = append(dst, `]}`...)
	c.buffer = dst
	return slices.Clone(dst)
}
