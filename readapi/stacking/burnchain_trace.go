package stacking

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
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

func (a *api) traceBurnchain() {
	slots := func(page *page.NumberedPage[slotHolder]) []engine.Lookup {
		if page == nil || len(page.Results) == 0 {
			return nil
		}
		heights, indexes := make([]int64, len(page.Results)), make([]int64, len(page.Results))
		for i := range page.Results {
			heights[i], indexes[i] = page.Results[i].BurnBlockHeight, page.Results[i].SlotIndex
		}
		return placedLookups(engine.Lookup{Name: "slot", Table: tracedSlot, NewestFirst: []string{"t.height", "t.slot_index"}}, "slot_index", heights, indexes)
	}
	rewards := func(page *page.NumberedPage[burnReward]) []engine.Lookup {
		if page == nil || len(page.Results) == 0 {
			return nil
		}
		heights, indexes := make([]int64, len(page.Results)), make([]int64, len(page.Results))
		for i := range page.Results {
			heights[i], indexes[i] = page.Results[i].BurnBlockHeight, page.Results[i].RewardIndex
		}
		return placedLookups(engine.Lookup{Name: "reward", Table: tracedReward, NewestFirst: []string{"t.height", "t.reward_index"}}, "reward_index", heights, indexes)
	}
	engine.Trace(a.Engine, "list-reward-slot-holders", func(_ context.Context, _ *engine.Snapshot, _ *burnchainInput, page *page.NumberedPage[slotHolder]) ([]engine.Lookup, error) {
		return slots(page), nil
	})
	engine.Trace(a.Engine, "list-reward-slots-of-address", func(_ context.Context, _ *engine.Snapshot, _ *burnchainOfAddressInput, page *page.NumberedPage[slotHolder]) ([]engine.Lookup, error) {
		return slots(page), nil
	})
	engine.Trace(a.Engine, "list-burnchain-rewards", func(_ context.Context, _ *engine.Snapshot, _ *burnchainInput, page *page.NumberedPage[burnReward]) ([]engine.Lookup, error) {
		return rewards(page), nil
	})
	engine.Trace(a.Engine, "list-burnchain-rewards-of-address", func(_ context.Context, _ *engine.Snapshot, _ *burnchainOfAddressInput, page *page.NumberedPage[burnReward]) ([]engine.Lookup, error) {
		return rewards(page), nil
	})
	engine.Trace(a.Engine, "get-burnchain-reward-total", func(_ context.Context, s *engine.Snapshot, _ *param.BitcoinAddressInput, total *rewardTotal) ([]engine.Lookup, error) {
		if total == nil || s.Active("pox") == nil {
			return nil, nil
		}
		return []engine.Lookup{
			{Name: "recipient", Table: tracedRecipient, Where: `t.recipient = $1::text`, Args: []any{total.RewardRecipient}, Order: `t.recipient`},
			{Name: "reward", Table: tracedReward, Where: `t.recipient = $1::text`, Args: []any{total.RewardRecipient}, NewestFirst: []string{"t.height", "t.reward_index"}},
		}, nil
	})
}

// placedLookups returns the lookups of rows by their Bitcoin blocks and their places in them, and of these blocks.
// column is the column of the places.
func placedLookups(l engine.Lookup, column string, heights, places []int64) []engine.Lookup {
	l.Where = `(t.height, t.` + column + `) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))`
	l.Args = []any{heights, places}
	return []engine.Lookup{l, {
		Name: "burn_block", Table: tracedFollowedBlock, Where: `t.height = ANY ($1::bigint[])`, Args: []any{heights}, NewestFirst: []string{"t.height"},
	}}
}
