package plan

import (
	"fmt"

	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/value"
)

// transfer plans a transfer of STX from an account.
func (p *Planner) transfer(x *vm.Execution) *vm.Operation {
	from := p.sender(x)
	if from == nil {
		return nil
	}
	to := p.Recipient(x, from.Party)
	amount := p.part(x.Spendable(from.Party) - 2*maxFee)
	text := ""
	if p.random.IntN(4) == 0 {
		text = fmt.Sprintf("memo %d ✓", p.random.IntN(1000))
	}
	memo := value.Must(transaction.NewMemo(text))
	payload := &transaction.TokenTransfer{Recipient: p.rules.Roll.Principal(to), Amount: amount, Memo: memo}
	o := p.send(x, from, payload, transaction.PostConditions{}, func(x *vm.Execution) nodejson.Outcome {
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
	if p.random.Chance(p.cfg.ReplaceProbability) && o.Fee > minFee+1 {
		earlier := &vm.Operation{
			Origin: o.Origin, Sponsor: o.Sponsor, Nonce: o.Nonce, SponsorNonce: o.SponsorNonce, Fee: o.Fee - 1,
		}
		p.Sign(earlier, payload, transaction.PostConditions{})
		o.Replaces = earlier
	}
	return o
}
