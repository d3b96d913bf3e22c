package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// planStacking plans a lock of STX, or the extension or increase of a lock.
func (c *Chain) planStacking(x *vm.Execution) *vm.Operation {
	from := c.sender(x)
	if from == nil {
		return nil
	}
	p := from.Party
	if l := x.Lock.Get(p); l.Until >= x.Burn && l.Amount > 0 {
		if c.cfg.Generation < V21 {
			return nil
		}
		if c.random.IntN(2) == 0 {
			return c.planExtend(x, from)
		}
		return c.planIncrease(x, from)
	}
	amount := c.part(x.Spendable(p) - 2*maxFee)
	period := uint64(1 + c.random.IntN(3))
	address := c.poxAddress()
	arguments := []clarity.Value{
		clarity.NewUint64(amount), vm.PoXTuple(address), clarity.NewUint64(x.Burn), clarity.NewUint64(period),
	}
	return c.callPox(x, from, "stack-stx", arguments, 7, func(x *vm.Execution) nodejson.Outcome {
		return x.Stack(from, amount, period, address)
	})
}

// callPox calls a function of the stacking contract. From V25 on it adds the arguments with the signer's authorization.
func (c *Chain) callPox(
	x *vm.Execution, from *account.Account, function string, arguments []clarity.Value, authID uint64, run func(*vm.Execution) nodejson.Outcome,
) *vm.Operation {
	if c.cfg.Generation >= V25 {
		arguments = append(arguments, clarity.NewNone(), from.SignerKey(), ledger.MaxAmount.Value(), clarity.NewUint64(authID))
	}
	return c.call(x, from, c.rules.PoX(), c.stackConditions(), function, arguments, run)
}

// stackConditions returns no post-conditions: locking moves nothing.
func (c *Chain) stackConditions() transaction.PostConditions { return transaction.PostConditions{} }

func (c *Chain) planExtend(x *vm.Execution, from *account.Account) *vm.Operation {
	count := uint64(1 + c.random.IntN(2))
	address := c.poxAddress()
	arguments := []clarity.Value{clarity.NewUint64(count), vm.PoXTuple(address)}
	return c.callPox(x, from, "stack-extend", arguments, 8, func(x *vm.Execution) nodejson.Outcome {
		return x.Extend(from, count, address)
	})
}

func (c *Chain) planIncrease(x *vm.Execution, from *account.Account) *vm.Operation {
	by := c.part(x.Spendable(from.Party) - 2*maxFee)
	address := c.poxAddress()
	return c.callPox(x, from, "stack-increase", []clarity.Value{clarity.NewUint64(by)}, 9, func(x *vm.Execution) nodejson.Outcome {
		return x.Increase(from, by, address)
	})
}
