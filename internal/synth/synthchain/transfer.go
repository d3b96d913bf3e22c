package synthchain

import (
	"fmt"

	"strata/domain/transaction"
)

// planTransfer plans a transfer of STX from an account.
func (c *Chain) planTransfer(x *execution) *operation {
	from := c.sender(x)
	if from == nil {
		return nil
	}
	to := c.recipient(x, from.party)
	amount := c.part(x.available(from.party, x.burn) - 2*maxFee)
	text := ""
	if c.random.IntN(4) == 0 {
		text = fmt.Sprintf("memo %d ✓", c.random.IntN(1000))
	}
	memo := must(transaction.NewMemo(text))
	payload := &transaction.TokenTransfer{Recipient: c.roll.principal(to), Amount: amount, Memo: memo}
	o := c.send(x, from, payload, transaction.PostConditions{}, func(x *execution) outcome {
		x.transferSTX(from.party, to, amount, memo[:])
		return succeeded()
	})
	o.needs = func(x *execution) bool {
		due := amount
		if o.sponsor == nil {
			due += o.fee
		}
		return x.available(from.party, x.burn) >= due
	}
	if c.random.Chance(c.cfg.ReplaceProbability) && o.fee > minFee+1 {
		earlier := &operation{origin: o.origin, sponsor: o.sponsor, nonce: o.nonce, sponsorNonce: o.sponsorNonce, fee: o.fee - 1}
		c.sign(earlier, payload, transaction.PostConditions{})
		o.replaces = earlier
	}
	return o
}
