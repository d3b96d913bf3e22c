package nodejson

import (
	"strata/domain/hash"
	"strata/domain/microblock"
)

// Microblock is a block that a miner streams after its own block.
type Microblock struct {
	Header   microblock.Header
	Hash     hash.Hash32
	Receipts []*Receipt
}

// Microblocks encodes the body of /new_microblocks, with the events in random order. burn elected the block with the
// index block hash on which the microblocks are. The indexes of transactions start at 0 in each microblock; those of
// events count over all microblocks.
func (e *Encoder) Microblocks(burn BurnBlock, index hash.Hash32, stream []*Microblock) []byte {
	type numbered struct {
		*Receipt
		index int
	}
	var receipts []*Receipt
	var all []numbered
	for _, m := range stream {
		receipts = append(receipts, m.Receipts...)
		for i, r := range m.Receipts {
			all = append(all, numbered{r, i})
		}
	}
	o := newObject(e.buffer[:0]).hash("burn_block_hash", burn.Hash).number("burn_block_height", burn.Height).number("burn_block_timestamp", burn.Time)
	o = object(e.events(o.key("events"), receipts)).hash("parent_index_block_hash", index)
	return e.finish(o.list("transactions", len(all), func(dst []byte, i int) []byte {
		return all[i].append(dst, e.Generation, all[i].index)
	}).end())
}
