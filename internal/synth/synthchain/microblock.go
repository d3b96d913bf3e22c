package synthchain

import (
	"crypto/sha512"
	"slices"

	"strata/domain/hash"
	header "strata/domain/microblock"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/undo"
)

// microblock is a block that a miner streams after its own block. The next block confirms some microblocks.
type microblock struct {
	nodejson.Microblock
	operations []*vm.Operation
	changes    []undo.Change
}

// streamLength is the maximum number of microblocks on a block.
const streamLength = 3

// streamMicroblocks builds microblocks on top of b and usually queues their posts.
func (c *Chain) streamMicroblocks(b *block) {
	c.model.moveTo(b)
	x := c.execution(b.height+1, b.burn.height)
	previous := b.hash
	for sequence := range 1 + c.random.IntN(streamLength) {
		m := new(microblock)
		m.Header = header.Header{Sequence: uint16(sequence), PrevBlock: previous}
		digest := sha512.New512_256()
		for range 1 + c.random.IntN(3) {
			o := c.planner.Operation(x)
			if o == nil {
				break
			}
			c.announce(o)
			r := c.execute(x, o)
			r.Microblock = &m.Microblock
			m.Receipts = append(m.Receipts, r)
			m.operations = append(m.operations, o)
			digest.Write(o.Txid[:])
		}
		m.changes = c.model.Take()
		if len(m.Receipts) == 0 {
			break
		}
		m.Header.TxMerkleRoot = hash.Hash32(digest.Sum(nil))
		m.Header.Sign(b.miner.Keys[0])
		m.Hash = m.Header.Hash()
		previous = m.Hash
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

func (c *Chain) encodeMicroblocks(b *block, stream []*microblock) []byte {
	facts := make([]*nodejson.Microblock, len(stream))
	for i, m := range stream {
		facts[i] = &m.Microblock
	}
	return c.encoder.Microblocks(b.burn.facts(), b.index, facts)
}
