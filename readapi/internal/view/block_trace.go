package view

import (
	"strata/readapi/internal/engine"
)

var (
	tracedBlock = &engine.TraceTable{
		Projection: "chain", Name: "block", Key: "source_seq", Order: "t.height DESC, t.source_seq DESC",
		Values:  "height index_block_hash:hex block_hash:hex parent_index_block_hash:hex burn_block_height burn_block_hash:hex tx_count",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
	}
	// One event announced the block. Another one, of a later Stacks block or of a Bitcoin block, may have made it
	// canonical.
	tracedCanonical = &engine.TraceTable{
		Projection: "chain", Name: "canonical", Key: "height", Values: "block_seq", Order: "t.height DESC",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}, {Column: "block_seq", Pointers: engine.WholeEvent}},
	}
)
