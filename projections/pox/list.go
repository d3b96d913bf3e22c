package pox

import (
	"fmt"
	"strings"
)

// Names of lists. Those that end with a colon are prefixes of an address.
const (
	listRewards = "rewards"
	listSlots   = "slots"
	listCycles  = "cycles"

	listRewardsOf = "rewards:"
	listSlotsOf   = "slots:"
	listPayoutsOf = "payouts:"
)

// listSource returns the query for the keys of a list.
func listSource(list string) (query string, args []any) {
	const (
		rewards = `SELECT height AS a, reward_index::bigint AS b, 0::bigint AS c FROM {schema}.reward`
		slots   = `SELECT height AS a, slot_index::bigint AS b, 0::bigint AS c FROM {schema}.slot`
		payouts = `SELECT height AS a, rank::bigint AS b, 0::bigint AS c FROM {schema}.payout`
	)
	switch list {
	case listRewards:
		return rewards, nil
	case listSlots:
		return slots, nil
	case listCycles:
		return `SELECT cycle_number AS a, 0::bigint AS b, 0::bigint AS c FROM {schema}.cycle`, nil
	}
	prefix, address, _ := strings.Cut(list, ":")
	switch prefix + ":" {
	case listRewardsOf:
		return rewards + ` WHERE recipient = $1`, []any{address}
	case listSlotsOf:
		return slots + ` WHERE address = $1`, []any{address}
	case listPayoutsOf:
		return payouts + ` WHERE recipient = $1`, []any{address}
	}
	panic(fmt.Sprintf("pox: there is no list %q", list))
}
