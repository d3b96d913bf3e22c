package view

import (
	"strata/domain/hash"
	"strata/readapi/internal/engine"
)

var (
	tracedBlock = &engine.TraceTable{
		Projection: "chain", Name: "block", Key: "source_seq",
		Values:  "height index_block_hash:hex block_hash:hex parent_index_block_hash:hex burn_block_height burn_block_hash:hex tx_count",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
	}
	// One event announced the block. Another one, of a later Stacks block or of a Bitcoin block, may have made it
	// canonical.
	tracedCanonical = &engine.TraceTable{
		Projection: "chain", Name: "canonical", Key: "height", Values: "block_seq",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}, {Column: "block_seq", Pointers: engine.WholeEvent}},
	}
)

// BlockLookups returns the look-ups of the rows behind blocks.
func BlockLookups(blocks []Block) []engine.Lookup {
	heights, ids := make([]int64, len(blocks)), make([]hash.Hash32, len(blocks))
	for i := range blocks {
		heights[i], ids[i] = blocks[i].Height, blocks[i].IndexBlockHash
	}
	return []engine.Lookup{
		{Name: "block", Table: tracedBlock, Where: `t.index_block_hash = ANY ($1)`, Args: []any{ids}, Order: `t.height DESC`},
		{Name: "canonical", Table: tracedCanonical, Where: `t.height = ANY ($1)`, Args: []any{heights}, Order: `t.height DESC`},
	}
}
