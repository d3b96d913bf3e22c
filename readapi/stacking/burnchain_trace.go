package stacking

import (
	"strata/readapi/internal/engine"
)

var (
	tracedReward = &engine.TraceTable{
		Projection: "pox", Name: "reward", Key: "height reward_index", Values: "recipient amount:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/reward_recipients/' || t.reward_index]`}},
	}
	tracedSlot = &engine.TraceTable{
		Projection: "pox", Name: "slot", Key: "height slot_index", Values: "address",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/reward_slot_holders/' || t.slot_index]`}},
	}
	tracedFollowedBlock = &engine.TraceTable{
		Projection: "pox", Name: "burn_block", Key: "height", Values: "burn_block_hash:hex burn_amount:text rewards slots payouts",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
	}
	tracedRecipient = &engine.TraceTable{
		Projection: "pox", Name: "recipient", Key: "recipient", Values: "rewards amount:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
	}
)

// placedLookups returns the look-ups of rows by their Bitcoin blocks and their places in them, and of these blocks.
// column is the column of the places.
func placedLookups(table *engine.TraceTable, column string, heights, places []int64) []engine.Lookup {
	if len(heights) == 0 {
		return nil
	}
	return []engine.Lookup{
		{
			Name: table.Name, Table: table, Where: `(t.height, t.` + column + `) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))`,
			Args: []any{heights, places}, NewestFirst: []string{"t.height", "t." + column},
		},
		{Name: "burn_block", Table: tracedFollowedBlock, Where: `t.height = ANY ($1::bigint[])`, Args: []any{heights}, NewestFirst: []string{"t.height"}},
	}
}
