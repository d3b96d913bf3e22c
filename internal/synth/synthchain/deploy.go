package synthchain

import (
	"fmt"

	"strata/domain/transaction"
)

// planDeploy plans the deployment of a contract.
func (c *Chain) planDeploy(x *execution) *operation {
	t := templates[c.random.IntN(len(templates))]
	return c.deploy(x, t, func(x *execution, contract party) outcome {
		x.establish(contract, t)
		return succeeded()
	})
}

// planDeployFail plans a deployment that fails. With an interface, the analysis succeeded and then the code failed;
// without, the analysis failed.
func (c *Chain) planDeployFail(x *execution) *operation {
	analysed := c.random.IntN(2) == 0
	return c.deploy(x, vaultTemplate, func(*execution, party) outcome {
		out := outcome{status: abortByResponse, result: errNone, vmError: "Runtime(DivisionByZero, [])"}
		if !analysed {
			out.contract, out.vmError = "none", "use of unresolved variable 'nothing'"
		}
		return out
	})
}

// deploy returns the operation of a deployment, whose outcome run decides. deploy adds the contract's interface, unless
// run sets it to "none".
func (c *Chain) deploy(x *execution, t *template, run func(*execution, party) outcome) *operation {
	from := c.sender(x)
	if from == nil {
		return nil
	}
	name := fmt.Sprintf("%s-%d", t.name, x.nonce.Get(from.party))
	contract := c.roll.contract(from.address, name)
	code := transaction.SmartContract{ContractName: name, Code: []byte(t.source)}
	version := defaultClarity(c.cfg.Generation)
	var payload transaction.Payload = &code
	if c.cfg.Generation >= V21 && c.random.IntN(2) == 0 {
		version = 1 + uint8(c.random.IntN(int(version)))
		payload = &transaction.VersionedSmartContract{ClarityVersion: version, SmartContract: code}
	}
	o := c.send(x, from, payload, transaction.PostConditions{}, func(x *execution) outcome {
		out := run(x, contract)
		if out.contract == "none" {
			out.contract = ""
		} else {
			out.contract = interfaceAt(t.members, c.cfg.Generation, version)
		}
		return out
	})
	o.needs = func(x *execution) bool { return !x.deployed.Has(contract) }
	return o
}

// establish adds a contract to the model. It can be called if it has a template.
func (x *execution) establish(contract party, t *template) {
	x.deployed.Set(contract, t)
	if t != nil {
		x.contract.Set(int(x.total.Get(totalContracts).lo), contract)
		x.count(totalContracts, 1)
	}
}
