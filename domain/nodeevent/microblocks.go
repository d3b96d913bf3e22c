package nodeevent

import (
	"cmp"
	"slices"

	"strata/domain/hash"
)

// Microblocks is the body of /new_microblocks (releases 2.0 to 2.4): unconfirmed transactions on top of an anchored
// block. It has neither height nor a list of microblocks; Stream makes one.
type Microblocks struct {
	ParentIndexBlockHash hash.Hash32 // required; the anchored block
	// Burn block of that anchored block; zero when missing.
	BurnBlockHash   hash.Hash32
	BurnBlockHeight uint64
	BurnBlockTime   uint64 // unix seconds
	Receipts
}

// Microblock is one of a stream.
type Microblock struct {
	MicroblockPosition
	Transactions []*Transaction // in their order
}

// Stream groups the transactions by microblock, in the order of the sequence numbers. A transaction without microblock
// fields (the first form of this payload) is left out. The parent of the first microblock of a block is the hash of
// that block's header.
func (m *Microblocks) Stream() []Microblock {
	var stream []Microblock
	place := map[hash.Hash32]int{}
	for i := range m.Transactions {
		t := &m.Transactions[i]
		if t.Microblock == nil {
			continue
		}
		at, ok := place[t.Microblock.Hash]
		if !ok {
			at = len(stream)
			place[t.Microblock.Hash] = at
			stream = append(stream, Microblock{MicroblockPosition: *t.Microblock})
		}
		stream[at].Transactions = append(stream[at].Transactions, t)
	}
	for i := range stream {
		slices.SortStableFunc(stream[i].Transactions, func(a, b *Transaction) int { return cmp.Compare(a.TxIndex, b.TxIndex) })
	}
	slices.SortStableFunc(stream, func(a, b Microblock) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return stream
}

func (c *cursor) microblocks() *Microblocks {
	m := &Microblocks{}
	parent := false
	present := c.object(func(name []byte) {
		switch string(name) {
		case "parent_index_block_hash":
			parent = c.hash32(&m.ParentIndexBlockHash)
		case "burn_block_hash":
			c.hash32(&m.BurnBlockHash)
		case "burn_block_height":
			c.uint64(&m.BurnBlockHeight)
		case "burn_block_timestamp":
			c.uint64(&m.BurnBlockTime)
		case "transactions":
			m.Transactions = c.transactions()
		case "events":
			m.Events = c.events()
		default:
			c.skip()
		}
	})
	c.needObject(present)
	c.need(parent, "parent_index_block_hash", "32 bytes in hex")
	c.link(&m.Receipts)
	return m
}
