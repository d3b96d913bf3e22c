package nodeevent

import (
	"cmp"
	"slices"

	"strata/domain/hash"
)

// Microblocks is the body of /new_microblocks (releases 2.0 to 2.4): unconfirmed transactions on top of an anchored
// block. The body has neither a height nor a list of microblocks; Stream makes the list.
type Microblocks struct {
	ParentIndexBlockHash hash.Hash32 // required; the anchored block
	// The burn block of the anchored block; zero when missing.
	BurnBlockHash   hash.Hash32
	BurnBlockHeight uint64
	BurnBlockTime   uint64 // Unix seconds
	Receipts
}

// Microblock is a microblock of a stream.
type Microblock struct {
	MicroblockPosition
	Transactions []*Transaction // by TxIndex
}

// Stream groups the transactions by microblock and returns the microblocks by sequence number. It leaves out
// transactions without microblock fields, which the first form of this payload has. The ParentHash of the first
// microblock is the header hash of the anchored block.
func (m *Microblocks) Stream() []Microblock {
	var stream []Microblock
	indexes := map[hash.Hash32]int{} // into stream, by microblock hash
	for i := range m.Transactions {
		t := &m.Transactions[i]
		if t.Microblock == nil {
			continue
		}
		index, ok := indexes[t.Microblock.Hash]
		if !ok {
			index = len(stream)
			indexes[t.Microblock.Hash] = index
			stream = append(stream, Microblock{MicroblockPosition: *t.Microblock})
		}
		stream[index].Transactions = append(stream[index].Transactions, t)
	}
	for i := range stream {
		slices.SortStableFunc(stream[i].Transactions, func(a, b *Transaction) int { return cmp.Compare(a.TxIndex, b.TxIndex) })
	}
	slices.SortStableFunc(stream, func(a, b Microblock) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return stream
}

func (c *cursor) microblocks() *Microblocks {
	m := &Microblocks{}
	present := c.Members(
		required("parent_index_block_hash", &m.ParentIndexBlockHash, "32 bytes in hex"),
		optional("burn_block_hash", &m.BurnBlockHash),
		optional("burn_block_height", &m.BurnBlockHeight),
		optional("burn_block_timestamp", &m.BurnBlockTime),
		optional("transactions", func() { m.Transactions = c.transactions() }),
		optional("events", func() { m.Events = c.events() }),
	)
	c.NeedValue(present, "an object")
	c.linkEvents(&m.Receipts)
	return m
}
