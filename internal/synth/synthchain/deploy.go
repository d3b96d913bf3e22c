package synthchain

import (
	"fmt"

	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// planDeploy plans the deployment of a contract.
func (c *Chain) planDeploy(x *vm.Execution) *vm.Operation {
	all := contracts.All()
	t := all[c.random.IntN(len(all))]
	return c.deploy(x, t, func(x *vm.Execution, contract ledger.Party) nodejson.Outcome {
		x.Establish(contract, t)
		return vm.Succeeded()
	})
}

// planDeployFail plans a deployment that fails. With an interface, the analysis succeeded and then the code failed;
// without, the analysis failed.
func (c *Chain) planDeployFail(x *vm.Execution) *vm.Operation {
	analysed := c.random.IntN(2) == 0
	return c.deploy(x, contracts.Vault, func(*vm.Execution, ledger.Party) nodejson.Outcome {
		out := nodejson.Outcome{Status: nodejson.AbortByResponse, Result: vm.ErrNone, VMError: "Runtime(DivisionByZero, [])"}
		if !analysed {
			out.Contract, out.VMError = "none", "use of unresolved variable 'nothing'"
		}
		return out
	})
}

// deploy returns the operation of a deployment, whose outcome run decides. deploy adds the contract's interface, unless
// run sets it to "none".
func (c *Chain) deploy(x *vm.Execution, t *contracts.Template, run func(*vm.Execution, ledger.Party) nodejson.Outcome) *vm.Operation {
	from := c.sender(x)
	if from == nil {
		return nil
	}
	name := fmt.Sprintf("%s-%d", t.Name, x.Nonce.Get(from.Party))
	contract := c.roll.Contract(from.Address, name)
	code := transaction.SmartContract{ContractName: name, Code: []byte(t.Source)}
	version := contracts.DefaultVersion(c.cfg.Generation)
	var payload transaction.Payload = &code
	if c.cfg.Generation >= V21 && c.random.IntN(2) == 0 {
		version = 1 + uint8(c.random.IntN(int(version)))
		payload = &transaction.VersionedSmartContract{ClarityVersion: version, SmartContract: code}
	}
	o := c.send(x, from, payload, transaction.PostConditions{}, func(x *vm.Execution) nodejson.Outcome {
		out := run(x, contract)
		if out.Contract == "none" {
			out.Contract = ""
		} else {
			out.Contract = t.Interface(c.cfg.Generation, version)
		}
		return out
	})
	o.Needs = func(x *vm.Execution) bool { return !x.Deployed.Has(contract) }
	return o
}
