package synthchain

import (
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// burnchainRaw is what nodes post as the raw transaction of an operation that was made on Bitcoin.
var burnchainRaw = []byte{0}

// planBitcoinOperation plans an operation that an account made by a Bitcoin transaction: it has no fee, nonce or
// signature. From V21 on nodes describe it in burnchain_op.
func (c *Chain) planBitcoinOperation(x *vm.Execution, burn *burnBlock) *vm.Operation {
	from := c.sender(x)
	if from == nil {
		return nil
	}
	o := &vm.Operation{Raw: burnchainRaw, Txid: c.random.Hash32()}
	amount := c.part(x.Spendable(from.Party) - 2*maxFee)
	to := c.recipient(x, from.Party)
	address := c.poxAddress()
	at := nodejson.BitcoinTransaction{Burn: burn.facts(), Txid: o.Txid}
	sender, rewardAddress := c.roll.Principal(from.Party), c.addressText(address)
	var description string
	switch c.random.IntN(5) {
	case 0, 1:
		description = nodejson.TransferSTX(at, sender, c.roll.Principal(to), amount)
		o.Run = func(x *vm.Execution) nodejson.Outcome { return vm.Check(x.TransferSTX(from.Party, to, amount, nil), 1) }
	case 2:
		const cycles = 2
		signerKey := from.Public[0].CompressedBytes()
		description = c.encoder.StackSTX(at, sender, amount, cycles, rewardAddress, signerKey[:])
		o.Run = func(x *vm.Execution) nodejson.Outcome { return x.Stack(from, amount, cycles, address) }
	case 3:
		if c.cfg.Generation >= V21 {
			delegate := c.accounts[c.random.IntN(len(c.accounts))]
			description = nodejson.DelegateSTX(at, sender, c.roll.Principal(delegate.Party), amount, rewardAddress)
			o.Run = func(x *vm.Execution) nodejson.Outcome { return x.Delegate(from, delegate, amount, address) }
			break
		}
		fallthrough
	default: // refused: only the transaction id shows that it was tried
		description = nodejson.TransferSTX(at, sender, c.roll.Principal(to), amount)
		o.Run = func(*vm.Execution) nodejson.Outcome {
			return nodejson.Outcome{Status: nodejson.AbortByResponse, Result: vm.ErrNone}
		}
	}
	run := o.Run
	o.Run = func(x *vm.Execution) nodejson.Outcome {
		out := run(x)
		if c.cfg.Generation >= V21 {
			out.BurnchainOp = description
		}
		return out
	}
	o.Needs = func(x *vm.Execution) bool { return x.Deployed.Has(c.rules.PoX()) }
	if !x.Minable(o) {
		return nil
	}
	return o
}
