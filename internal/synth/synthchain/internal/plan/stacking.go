package plan

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// stack plans a lock of STX, or the extension or increase of a lock.
func (p *Planner) stack(x *vm.Execution) *vm.Operation {
	from := p.sender(x)
	if from == nil {
		return nil
	}
	if l := x.Lock.Get(from.Party); x.Until(l) >= x.Burn && l.Amount > 0 {
		if x.Epoch < node.Epoch21 {
			return nil
		}
		if p.random.IntN(2) == 0 {
			return p.extend(x, from)
		}
		return p.increase(x, from)
	}
	amount := p.part(x.Spendable(from.Party) - 2*maxFee)
	period := uint64(1 + p.random.IntN(3))
	address, _ := p.RewardAddress()
	arguments := []clarity.Value{
		clarity.NewUint64(amount), vm.PoXTuple(address), clarity.NewUint64(x.Burn), clarity.NewUint64(period),
	}
	return p.callPox(x, from, "stack-stx", arguments, 7, func(x *vm.Execution) nodejson.Outcome {
		return x.Stack(from, amount, period, address)
	})
}

// callPox calls a function of the stacking contract. From pox-4 on it adds the arguments with the signer's authorization.
func (p *Planner) callPox(
	x *vm.Execution, from *account.Account, function string, arguments []clarity.Value, authID uint64, run vm.Run,
) *vm.Operation {
	if x.Epoch >= node.Epoch25 {
		most := ledger.MaxAmount.Value()
		arguments = append(arguments, clarity.NewNone(), from.SignerKey(), most, clarity.NewUint64(authID))
	}
	none := transaction.PostConditions{} // locking moves nothing
	contract := x.StackingContract()
	return p.call(x, from, contract, none, function, arguments, func(x *vm.Execution) nodejson.Outcome {
		if !x.CanStack(contract) {
			return vm.Defunct()
		}
		return run(x)
	})
}

func (p *Planner) extend(x *vm.Execution, from *account.Account) *vm.Operation {
	count := uint64(1 + p.random.IntN(2))
	address, _ := p.RewardAddress()
	arguments := []clarity.Value{clarity.NewUint64(count), vm.PoXTuple(address)}
	return p.callPox(x, from, "stack-extend", arguments, 8, func(x *vm.Execution) nodejson.Outcome {
		return x.Extend(from, count, address)
	})
}

func (p *Planner) increase(x *vm.Execution, from *account.Account) *vm.Operation {
	by := p.part(x.Spendable(from.Party) - 2*maxFee)
	address, _ := p.RewardAddress()
	arguments := []clarity.Value{clarity.NewUint64(by)}
	return p.callPox(x, from, "stack-increase", arguments, 9, func(x *vm.Execution) nodejson.Outcome {
		return x.Increase(from, by, address)
	})
}
