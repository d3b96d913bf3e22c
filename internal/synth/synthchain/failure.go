package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
)

// planAbortResponse plans a call that fails, because the contract returns an error or because of a runtime error.
func (c *Chain) planAbortResponse(x *execution) *operation {
	contract, ok := c.contract(x, vaultTemplate)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	code := c.random.Uint64N(1000)
	vmError := ""
	result := clarity.NewErr(clarity.NewUint64(code)).Encode()
	switch c.random.IntN(3) {
	case 0:
		result, vmError = errNone, "Runtime(ArithmeticOverflow, [\n  vault:note\n])"
	case 1:
		result, vmError = errNone, "Unchecked(CouldNotParse(\"\x00\x01\"))"
	}
	return c.call(x, from, contract, allowAll, "fail", []clarity.Value{clarity.NewUint64(code)}, func(x *execution) outcome {
		x.print(contract, clarity.NewUint64(code)) // not posted, because the transaction fails
		return outcome{status: abortByResponse, result: result, vmError: vmError}
	})
}

// planAbortPostCondition plans a call that succeeds but moves more than the sender's post-condition allows.
func (c *Chain) planAbortPostCondition(x *execution) *operation {
	contract, ok := c.contract(x, vaultTemplate)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	amount := 1 + c.part(x.available(from.party, x.burn)-2*maxFee)
	conditions := must(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
		Type: transaction.ConditionSTX, Code: transaction.SentLess, Amount: 1,
	}.OriginPrincipal()))
	arguments := []clarity.Value{clarity.NewUint64(amount)}
	return c.call(x, from, contract, conditions, "deposit", arguments, func(x *execution) outcome {
		if !x.transferSTX(from.party, contract, amount, nil) {
			return failed(1)
		}
		return outcome{status: abortByPostCondition, result: okTrue, vmError: "Post-condition check failure on STX owned by " + x.text(from.party)}
	})
}

// planProblematic plans a call that nodes from V40 on skip as problematic. Before V40 it fails.
func (c *Chain) planProblematic(x *execution) *operation {
	contract, ok := c.contract(x, vaultTemplate)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	return c.call(x, from, contract, allowAll, "no-such-function", nil, func(x *execution) outcome {
		if x.chain.cfg.Generation >= V40 {
			return outcome{status: problematicSkipped, result: errNone, skipped: 1, vmError: "skipped"}
		}
		return outcome{status: abortByResponse, result: errNone, vmError: "Unchecked(UndefinedFunction(\"no-such-function\"))"}
	})
}
