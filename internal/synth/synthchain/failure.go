package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/must"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// planAbortResponse plans a call that fails, because the contract returns an error or because of a runtime error.
func (c *Chain) planAbortResponse(x *vm.Execution) *vm.Operation {
	contract, ok := c.contract(x, contracts.Vault)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	code := c.random.Uint64N(1000)
	vmError := ""
	result := clarity.NewErr(clarity.NewUint64(code)).Encode()
	switch c.random.IntN(3) {
	case 0:
		result, vmError = vm.ErrNone, "Runtime(ArithmeticOverflow, [\n  vault:note\n])"
	case 1:
		result, vmError = vm.ErrNone, "Unchecked(CouldNotParse(\"\x00\x01\"))"
	}
	return c.call(x, from, contract, allowAll, "fail", []clarity.Value{clarity.NewUint64(code)}, func(x *vm.Execution) nodejson.Outcome {
		x.Print(contract, clarity.NewUint64(code)) // not posted, because the transaction fails
		return nodejson.Outcome{Status: nodejson.AbortByResponse, Result: result, VMError: vmError}
	})
}

// planAbortPostCondition plans a call that succeeds but moves more than the sender's post-condition allows.
func (c *Chain) planAbortPostCondition(x *vm.Execution) *vm.Operation {
	contract, ok := c.contract(x, contracts.Vault)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	amount := 1 + c.part(x.Spendable(from.Party)-2*maxFee)
	conditions := must.Get(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
		Type: transaction.ConditionSTX, Code: transaction.SentLess, Amount: 1,
	}.OriginPrincipal()))
	arguments := []clarity.Value{clarity.NewUint64(amount)}
	return c.call(x, from, contract, conditions, "deposit", arguments, func(x *vm.Execution) nodejson.Outcome {
		if !x.TransferSTX(from.Party, contract, amount, nil) {
			return vm.Failed(1)
		}
		return nodejson.Outcome{Status: nodejson.AbortByPostCondition, Result: vm.OkTrue, VMError: "Post-condition check failure on STX owned by " + c.roll.Text(from.Party)}
	})
}

// planProblematic plans a call that nodes from V40 on skip as problematic. Before V40 it fails.
func (c *Chain) planProblematic(x *vm.Execution) *vm.Operation {
	contract, ok := c.contract(x, contracts.Vault)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	return c.call(x, from, contract, allowAll, "no-such-function", nil, func(x *vm.Execution) nodejson.Outcome {
		if c.cfg.Generation >= V40 {
			return nodejson.Outcome{Status: nodejson.ProblematicSkipped, Result: vm.ErrNone, Skipped: 1, VMError: "skipped"}
		}
		return nodejson.Outcome{Status: nodejson.AbortByResponse, Result: vm.ErrNone, VMError: "Unchecked(UndefinedFunction(\"no-such-function\"))"}
	})
}
