package plan

import (
	"fmt"

	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// deploy plans the deployment of a contract.
func (p *Planner) deploy(x *vm.Execution) *vm.Operation {
	all := contracts.All()
	t := all[p.random.IntN(len(all))]
	return p.deployment(x, t, func(x *vm.Execution, contract ledger.Party) nodejson.Outcome {
		x.Establish(contract, t)
		return vm.Succeeded()
	})
}

// deployFail plans a deployment that fails. With an interface, the analysis succeeded and then the code failed;
// without, the analysis failed.
func (p *Planner) deployFail(x *vm.Execution) *vm.Operation {
	analysed := p.random.IntN(2) == 0
	return p.deployment(x, contracts.Vault, func(*vm.Execution, ledger.Party) nodejson.Outcome {
		out := nodejson.Outcome{Status: nodejson.AbortByResponse, Result: vm.ErrNone, VMError: "Runtime(DivisionByZero, [])"}
		if !analysed {
			out.Contract, out.VMError = "none", "use of unresolved variable 'nothing'"
		}
		return out
	})
}

// deployment returns the operation of a deployment, whose outcome run decides. It adds the contract's interface to the
// outcome, unless run sets that to "none".
func (p *Planner) deployment(
	x *vm.Execution, t *contracts.Template, run func(*vm.Execution, ledger.Party) nodejson.Outcome,
) *vm.Operation {
	from := p.sender(x)
	if from == nil {
		return nil
	}
	name := fmt.Sprintf("%s-%d", t.Name, x.Nonce.Get(from.Party))
	contract := p.rules.Roll.Contract(from.Address, name)
	code := transaction.SmartContract{ContractName: name, Code: []byte(t.Source)}
	version := x.Epoch.Clarity()
	var payload transaction.Payload = &code
	if x.Epoch >= node.Epoch21 && p.random.IntN(2) == 0 {
		version = 1 + uint8(p.random.IntN(int(version)))
		payload = &transaction.VersionedSmartContract{ClarityVersion: version, SmartContract: code}
	}
	o := p.send(x, from, payload, transaction.PostConditions{}, func(x *vm.Execution) nodejson.Outcome {
		out := run(x, contract)
		if out.Contract == "none" {
			out.Contract = ""
		} else {
			out.Contract = t.Interface(x.Generation, x.Epoch, version)
		}
		return out
	})
	o.Needs = func(x *vm.Execution) bool { return !x.Deployed.Has(contract) }
	return o
}
