package staking

import (
	"strings"

	"strata/readapi/internal/schema"
)

// earned are sats of a staker.
type earned struct {
	Accrued   schema.Amount `json:"accrued" doc:"Sats earned."`
	Claimed   schema.Amount `json:"claimed" doc:"Sats that were claimed, before the fee of the signer manager."`
	Claimable schema.Amount `json:"claimable" doc:"accrued without claimed, and never negative: a claim rounds once for several calculations."`
}

type earnedBTC struct {
	BTC earned `json:"btc"`
}

// newEarned returns what is earned and claimed.
func newEarned(accrued, claimed string) earnedBTC {
	claimable := schema.SubtractAmounts(schema.Amount(accrued), schema.Amount(claimed))
	if strings.HasPrefix(string(claimable), "-") {
		claimable = "0"
	}
	return earnedBTC{earned{schema.Amount(accrued), schema.Amount(claimed), claimable}}
}

// accruedSTX is the SQL expression for the sats that the staker {staker} has earned with STX without a bond, in all
// cycles or those that {cycles}, a condition on c.cycle, selects. Each calculation rounds down what each share earns, and
// gives nothing to the stakers of signer managers below the minimum.
const accruedSTX = `(
		SELECT coalesce(sum(div(g.shares * c.per_ustx, 1000000000000000000)), 0)
		FROM {staking}.share g
		JOIN {staking}.calculation c ON c.cycle >= g.from_cycle AND c.cycle < g.to_cycle AND c.n > g.n AND (g.until_n IS NULL OR c.n < g.until_n)
		JOIN {staking}.earning e ON e.n = c.n AND e.signer = g.signer
		WHERE g.staker = {staker} AND g.bond_index = -1 {cycles}
	)`

// accruedBond is the like for a bond {bond}, which distributions c give sats to.
const accruedBond = `(
		SELECT coalesce(sum(div(g.shares * c.per_sat, 1000000000000000000)), 0)
		FROM {staking}.share g
		JOIN {staking}.distribution c ON c.bond_index = g.bond_index AND c.cycle >= g.from_cycle AND c.cycle < g.to_cycle AND c.n > g.n AND (g.until_n IS NULL OR c.n < g.until_n)
		WHERE g.staker = {staker} AND g.bond_index = {bond} {cycles}
	)`

// accrued fills in accruedSTX or accruedBond.
func accrued(expression, staker, bond, cycles string) string {
	return strings.NewReplacer("{staker}", staker, "{bond}", bond, "{cycles}", cycles).Replace(expression)
}
