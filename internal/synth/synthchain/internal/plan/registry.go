package plan

import (
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/synthnames"
	"strata/internal/synth/value"
)

// registryAccounts is the number of accounts that have names of BNS-V2. A few are enough for all that happens between
// owners.
const registryAccounts = 8

// registrar returns the simulator of BNS-V2.
func (p *Planner) registrar() *synthnames.Simulator {
	if p.names == nil {
		var accounts []string
		for _, a := range p.accounts[:min(len(p.accounts), registryAccounts)] {
			accounts = append(accounts, p.rules.Roll.Text(a.Party))
		}
		p.names = synthnames.New(p.random.Rand, accounts)
	}
	return p.names
}

// registry plans an operation of BNS-V2, which is there since Nakamoto. It begins with the airdrop of older names by the
// body of a deployment.
func (p *Planner) registry(x *vm.Execution) *vm.Operation {
	from := p.accounts[p.random.IntN(min(len(p.accounts), registryAccounts))]
	if !x.Nakamoto || x.Spendable(from.Party) < spare {
		return nil
	}
	before := x.Registry.Value
	if before == nil {
		calls, after := p.registrar().Airdrop(int64(x.Burn))
		contract := p.rules.Roll.Contract(from.Address, calls[0].Deploys)
		code := &transaction.SmartContract{ContractName: calls[0].Deploys, Code: []byte("(ok true)")}
		o := p.send(x, from, code, transaction.PostConditions{}, func(x *vm.Execution) nodejson.Outcome {
			out := x.Register(nil, after, calls[0].Events)
			if out.Status == nodejson.Success {
				x.Establish(contract, nil)
			}
			return out
		})
		o.Needs = func(x *vm.Execution) bool { return !x.Deployed.Has(contract) }
		return o
	}
	call, after, ok := p.registrar().Act(before, int64(x.Burn), p.rules.Roll.Text(from.Party))
	if !ok {
		return nil
	}
	payload := &transaction.ContractCall{
		Contract: p.rules.Roll.Principal(p.rules.RegistryContract(call.Contract)), Function: call.Function, Arguments: value.Must(transaction.NewArguments(call.Args...)),
	}
	return p.send(x, from, payload, allowAll, func(x *vm.Execution) nodejson.Outcome {
		return x.Register(before, after, call.Events)
	})
}
