package stacking

import (
	"strata/readapi/internal/engine"
)

var (
	tracedReward = &engine.TraceTable{
		Projection: "pox", Name: "reward", Key: "height reward_index", NewestFirst: []string{"t.height", "t.reward_index"}, Values: "recipient amount:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/reward_recipients/' || t.reward_index]`}},
	}
	tracedSlot = &engine.TraceTable{
		Projection: "pox", Name: "slot", Key: "height slot_index", NewestFirst: []string{"t.height", "t.slot_index"}, Values: "address",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/reward_slot_holders/' || t.slot_index]`}},
	}
	tracedFollowedBlock = &engine.TraceTable{
		Projection: "pox", Name: "burn_block", Key: "height", NewestFirst: []string{"t.height"}, Values: "burn_block_hash:hex burn_amount:text rewards slots payouts",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
	}
	tracedRecipient = &engine.TraceTable{
		Projection: "pox", Name: "recipient", Key: "recipient", Values: "rewards amount:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
	}
)
