package synthchain

import (
	"fmt"

	"strata/domain/transaction"
)

// planDeploy creates a contract.
func (c *Chain) planDeploy(x *execution) *operation {
	t := templates[c.random.IntN(len(templates))]
	return c.deploy(x, t, func(x *execution, contract party) outcome {
		x.establish(contract, t)
		return succeeded()
	})
}

// planDeployFail fails to create a contract. With an interface: it was analysed, then its code failed.
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

// deploy makes the operation; run decides what becomes of it. The interface is filled in unless run says "none".
func (c *Chain) deploy(x *execution, t *template, run func(*execution, party) outcome) *operation {
	from := c.sender(x)
	if from == nil {
		return nil
	}
	name := fmt.Sprintf("%s-%d", t.name, x.nonce.get(from.party))
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
	o.needs = func(x *execution) bool { return !x.deployed.has(contract) }
	return o
}

// establish makes a contract exist, and callable unless it has no template.
func (x *execution) establish(contract party, t *template) {
	x.deployed.set(contract, t)
	if t != nil {
		x.contract.set(int(x.total.get(totalContracts).lo), contract)
		x.count(totalContracts, 1)
	}
}
