package readapi

import "context"

var (
	tracedReward = &tracedTable{
		projection: "pox", name: "reward", key: "height reward_index", values: "recipient amount:text",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/reward_recipients/' || t.reward_index]`}},
	}
	tracedSlot = &tracedTable{
		projection: "pox", name: "slot", key: "height slot_index", values: "address",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/reward_slot_holders/' || t.slot_index]`}},
	}
	tracedFollowedBlock = &tracedTable{
		projection: "pox", name: "burn_block", key: "height", values: "burn_block_hash:hex burn_amount:text rewards slots payouts",
		sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}},
	}
	tracedRecipient = &tracedTable{
		projection: "pox", name: "recipient", key: "recipient", values: "rewards amount:text",
		sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}},
	}
)

func (a *API) traceBurnchain() {
	slots := func(page *numberedPage[slotHolder]) []lookup {
		if page == nil || len(page.Results) == 0 {
			return nil
		}
		heights, indexes := make([]int64, len(page.Results)), make([]int64, len(page.Results))
		for i := range page.Results {
			heights[i], indexes[i] = page.Results[i].BurnBlockHeight, page.Results[i].SlotIndex
		}
		return placedLookups(lookup{name: "slot", table: tracedSlot, newestFirst: []string{"t.height", "t.slot_index"}}, "slot_index", heights, indexes)
	}
	rewards := func(page *numberedPage[burnReward]) []lookup {
		if page == nil || len(page.Results) == 0 {
			return nil
		}
		heights, indexes := make([]int64, len(page.Results)), make([]int64, len(page.Results))
		for i := range page.Results {
			heights[i], indexes[i] = page.Results[i].BurnBlockHeight, page.Results[i].RewardIndex
		}
		return placedLookups(lookup{name: "reward", table: tracedReward, newestFirst: []string{"t.height", "t.reward_index"}}, "reward_index", heights, indexes)
	}
	traced(a.Engine, "list-reward-slot-holders", func(_ context.Context, _ *snapshot, _ *burnchainInput, page *numberedPage[slotHolder]) ([]lookup, error) {
		return slots(page), nil
	})
	traced(a.Engine, "list-reward-slots-of-address", func(_ context.Context, _ *snapshot, _ *burnchainOfAddressInput, page *numberedPage[slotHolder]) ([]lookup, error) {
		return slots(page), nil
	})
	traced(a.Engine, "list-burnchain-rewards", func(_ context.Context, _ *snapshot, _ *burnchainInput, page *numberedPage[burnReward]) ([]lookup, error) {
		return rewards(page), nil
	})
	traced(a.Engine, "list-burnchain-rewards-of-address", func(_ context.Context, _ *snapshot, _ *burnchainOfAddressInput, page *numberedPage[burnReward]) ([]lookup, error) {
		return rewards(page), nil
	})
	traced(a.Engine, "get-burnchain-reward-total", func(_ context.Context, s *snapshot, _ *BitcoinAddressInput, total *rewardTotal) ([]lookup, error) {
		if total == nil || s.active("pox") == nil {
			return nil, nil
		}
		return []lookup{
			{name: "recipient", table: tracedRecipient, where: `t.recipient = $1::text`, args: []any{total.RewardRecipient}, order: `t.recipient`},
			{name: "reward", table: tracedReward, where: `t.recipient = $1::text`, args: []any{total.RewardRecipient}, newestFirst: []string{"t.height", "t.reward_index"}},
		}, nil
	})
}

// placedLookups find rows by their Bitcoin blocks and their places in them, and these blocks.
func placedLookups(l lookup, column string, heights, places []int64) []lookup {
	l.where = `(t.height, t.` + column + `) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))`
	l.args = []any{heights, places}
	return []lookup{l, {
		name: "burn_block", table: tracedFollowedBlock, where: `t.height = ANY ($1::bigint[])`, args: []any{heights}, newestFirst: []string{"t.height"},
	}}
}
