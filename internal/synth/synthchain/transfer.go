package synthchain

import (
	"fmt"

	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/must"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// planTransfer plans a transfer of STX from an account.
func (c *Chain) planTransfer(x *vm.Execution) *vm.Operation {
	from := c.sender(x)
	if from == nil {
		return nil
	}
	to := c.recipient(x, from.Party)
	amount := c.part(x.Spendable(from.Party) - 2*maxFee)
	text := ""
	if c.random.IntN(4) == 0 {
		text = fmt.Sprintf("memo %d ✓", c.random.IntN(1000))
	}
	memo := must.Get(transaction.NewMemo(text))
	payload := &transaction.TokenTransfer{Recipient: c.roll.Principal(to), Amount: amount, Memo: memo}
	o := c.send(x, from, payload, transaction.PostConditions{}, func(x *vm.Execution) nodejson.Outcome {
		x.TransferSTX(from.Party, to, amount, memo[:])
		return vm.Succeeded()
	})
	o.Needs = func(x *vm.Execution) bool {
		due := amount
		if o.Sponsor == nil {
			due += o.Fee
		}
		return x.Spendable(from.Party) >= due
	}
	if c.random.Chance(c.cfg.ReplaceProbability) && o.Fee > minFee+1 {
		earlier := &vm.Operation{Origin: o.Origin, Sponsor: o.Sponsor, Nonce: o.Nonce, SponsorNonce: o.SponsorNonce, Fee: o.Fee - 1}
		c.sign(earlier, payload, transaction.PostConditions{})
		o.Replaces = earlier
	}
	return o
}
