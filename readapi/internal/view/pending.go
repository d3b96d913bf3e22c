package view

import (
	"math/big"

	"strata/readapi/internal/schema"
)

// Estimate is a balance that takes pending transactions into account.
type Estimate struct {
	EstimatedBalance       schema.Amount `json:"estimated_balance,omitempty" doc:"The balance once all pending transactions are mined; of several that use one nonce, the one with the greatest fee. Absent for an earlier block."`
	PendingBalanceInbound  schema.Amount `json:"pending_balance_inbound,omitempty"`
	PendingBalanceOutbound schema.Amount `json:"pending_balance_outbound,omitempty"`
}

func newEstimate(balance schema.Amount, inbound, outbound *big.Int) Estimate {
	estimated, ok := new(big.Int).SetString(string(balance), 10)
	if !ok {
		estimated = new(big.Int)
	}
	estimated.Add(estimated, inbound).Sub(estimated, outbound)
	return Estimate{schema.Amount(estimated.String()), schema.Amount(inbound.String()), schema.Amount(outbound.String())}
}
