package plan

import (
	"strata/domain/bitcoin"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// burnchainRaw is what nodes post as the raw transaction of an operation that was made on Bitcoin.
var burnchainRaw = []byte{0}

// BitcoinOperation plans an operation that an account made by a Bitcoin transaction: it has no fee, nonce or signature.
// From V21 on nodes describe it in burnchain_op.
func (p *Planner) BitcoinOperation(x *vm.Execution, burn nodejson.BurnBlock) *vm.Operation {
	from := p.sender(x)
	if from == nil {
		return nil
	}
	o := &vm.Operation{Raw: burnchainRaw, Txid: p.random.Hash32()}
	amount := p.part(x.Spendable(from.Party) - 2*maxFee)
	to := p.Recipient(x, from.Party)
	address, rewardAddress := p.RewardAddress()
	at := nodejson.BitcoinTransaction{Burn: burn, Txid: o.Txid}
	sender := p.rules.Roll.Principal(from.Party)
	var description string
	stacks := false
	switch p.random.IntN(5) {
	case 0, 1:
		description = nodejson.TransferSTX(at, sender, p.rules.Roll.Principal(to), amount)
		o.Run = func(x *vm.Execution) nodejson.Outcome { return vm.Check(x.TransferSTX(from.Party, to, amount, nil), 1) }
	case 2:
		const cycles = 2
		stacks = true
		signerKey := from.Public[0].CompressedBytes()
		description = nodejson.StackSTX(p.rules.Generation, at, sender, amount, cycles, rewardAddress, signerKey[:])
		o.Run = func(x *vm.Execution) nodejson.Outcome { return x.Stack(from, amount, cycles, address) }
	case 3:
		if x.Epoch >= node.Epoch21 {
			stacks = true
			delegate := p.accounts[p.random.IntN(len(p.accounts))]
			description = nodejson.DelegateSTX(at, sender, p.rules.Roll.Principal(delegate.Party), amount, rewardAddress)
			o.Run = func(x *vm.Execution) nodejson.Outcome { return x.Delegate(from, delegate, amount, address) }
			break
		}
		fallthrough
	default: // refused: only the transaction id shows that it was tried
		description = nodejson.TransferSTX(at, sender, p.rules.Roll.Principal(to), amount)
		o.Run = func(*vm.Execution) nodejson.Outcome {
			return nodejson.Outcome{Status: nodejson.AbortByResponse, Result: vm.ErrNone}
		}
	}
	run := o.Run
	o.Run = func(x *vm.Execution) nodejson.Outcome {
		out := run(x)
		if p.rules.Generation >= node.V21 {
			out.BurnchainOp = description
		}
		return out
	}
	// Nodes post nothing of an operation that the stacking contract does not know.
	contract := x.PoX()
	o.Needs = func(x *vm.Execution) bool { return x.Deployed.Has(contract) && (!stacks || x.CanStack(contract)) }
	if !x.Minable(o) {
		return nil
	}
	return o
}

// RewardAddress returns a random Bitcoin address of any kind that stackers use, and its text.
func (p *Planner) RewardAddress() (bitcoin.PoxAddress, string) {
	kinds := []byte{bitcoin.PoxP2PKH, bitcoin.PoxP2SH}
	if p.rules.Generation >= node.V21 {
		kinds = append(kinds, bitcoin.PoxP2WPKH, bitcoin.PoxP2WSH, bitcoin.PoxP2TR)
	}
	address := bitcoin.PoxAddress{Version: kinds[p.random.IntN(len(kinds))]}
	size := 20
	if address.Version >= bitcoin.PoxP2WSH {
		size = 32
	}
	address.Hash = make([]byte, size)
	p.random.Fill(address.Hash)
	text, _ := address.Text(p.rules.Network.Bitcoin())
	return address, text
}
