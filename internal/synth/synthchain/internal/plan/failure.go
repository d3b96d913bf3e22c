package plan

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/value"
)

// abortResponse plans a call that fails, because the contract returns an error or because of a runtime error.
func (p *Planner) abortResponse(x *vm.Execution, contract ledger.Party, from *account.Account) *vm.Operation {
	code := p.random.Uint64N(1000)
	vmError := ""
	result := clarity.NewErr(clarity.NewUint64(code)).Encode()
	switch p.random.IntN(3) {
	case 0:
		result, vmError = vm.ErrNone, "Runtime(ArithmeticOverflow, [\n  vault:note\n])"
	case 1:
		result, vmError = vm.ErrNone, "Unchecked(CouldNotParse(\"\x00\x01\"))"
	}
	arguments := []clarity.Value{clarity.NewUint64(code)}
	return p.call(x, from, contract, allowAll, "fail", arguments, func(x *vm.Execution) nodejson.Outcome {
		x.Print(contract, clarity.NewUint64(code)) // not posted, because the transaction fails
		return nodejson.Outcome{Status: nodejson.AbortByResponse, Result: result, VMError: vmError}
	})
}

// abortPostCondition plans a call that succeeds but moves more than the sender's post-condition allows.
func (p *Planner) abortPostCondition(x *vm.Execution, contract ledger.Party, from *account.Account) *vm.Operation {
	amount := 1 + p.part(x.Spendable(from.Party)-2*maxFee)
	conditions := value.Must(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
		Type: transaction.ConditionSTX, Code: transaction.SentLess, Amount: 1,
	}.OriginPrincipal()))
	arguments := []clarity.Value{clarity.NewUint64(amount)}
	return p.call(x, from, contract, conditions, "deposit", arguments, func(x *vm.Execution) nodejson.Outcome {
		if !x.TransferSTX(from.Party, contract, amount, nil) {
			return vm.Failed(1)
		}
		return nodejson.Outcome{
			Status: nodejson.AbortByPostCondition, Result: vm.OkTrue,
			VMError: "Post-condition check failure on STX owned by " + p.rules.Roll.Text(from.Party),
		}
	})
}

// problematic plans a call that nodes from V40 on skip as problematic. Before V40 it fails.
func (p *Planner) problematic(x *vm.Execution, contract ledger.Party, from *account.Account) *vm.Operation {
	return p.call(x, from, contract, allowAll, "no-such-function", nil, func(x *vm.Execution) nodejson.Outcome {
		if x.Epoch >= node.Epoch40 {
			return nodejson.Outcome{Status: nodejson.ProblematicSkipped, Result: vm.ErrNone, Skipped: 1, VMError: "skipped"}
		}
		return nodejson.Outcome{
			Status: nodejson.AbortByResponse, Result: vm.ErrNone,
			VMError: "Unchecked(UndefinedFunction(\"no-such-function\"))",
		}
	})
}
