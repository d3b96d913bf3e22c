package readapi

import (
	"math/big"
)

// pendingTransfers sums what transactions that are not mined yet would do to an account.
type pendingTransfers interface {
	// queue adds what queries it takes to a batch, and returns how to read the sums once it has run: µSTX coming in
	// by transfers, and µSTX going out, by transfers and fees.
	queue(b *batch, account string) func() (inbound, outbound *big.Int)
}

// Estimate is a balance with what is pending.
type Estimate struct {
	EstimatedBalance       amount `json:"estimated_balance,omitempty" doc:"The balance when all pending transactions are mined. Absent for an earlier block."`
	PendingBalanceInbound  amount `json:"pending_balance_inbound,omitempty"`
	PendingBalanceOutbound amount `json:"pending_balance_outbound,omitempty"`
}

func newEstimate(balance amount, inbound, outbound *big.Int) Estimate {
	estimated, ok := new(big.Int).SetString(string(balance), 10)
	if !ok {
		estimated = new(big.Int)
	}
	estimated.Add(estimated, inbound).Sub(estimated, outbound)
	return Estimate{amount(estimated.String()), amount(inbound.String()), amount(outbound.String())}
}
