package plan

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/value"
)

// tokenMint plans the mint of fungible tokens, sometimes more than fit into 64 bits.
func (p *Planner) tokenMint(x *vm.Execution, contract ledger.Party, from *account.Account) *vm.Operation {
	to := p.Recipient(x, contract)
	amount := ledger.NewAmount(1 + p.random.Uint64N(1<<40))
	if p.random.IntN(5) == 0 {
		amount.Hi = p.random.Uint64N(1 << 30)
	}
	arguments := []clarity.Value{amount.Value(), p.rules.Roll.Value(to)}
	return p.call(x, from, contract, allowAll, "mint", arguments, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.MintToken(contract, to, amount), 1)
	})
}

// tokenOwner returns a random contract with fungible tokens, and a random account that has some of them and can pay a
// fee; nil for none. Strangers and contracts never spend their tokens.
func (p *Planner) tokenOwner(x *vm.Execution) (contract ledger.Party, owner *account.Account, have ledger.Amount) {
	contract, ok := p.contract(x, contracts.Coin)
	if !ok {
		return 0, nil, ledger.Amount{}
	}
	for range 12 {
		a := p.accounts[p.random.IntN(len(p.accounts))]
		have := x.Token.Get(ledger.Holding{Contract: contract, Owner: a.Party})
		if !have.IsZero() && x.Spendable(a.Party) >= spare {
			return contract, a, have
		}
	}
	return 0, nil, ledger.Amount{}
}

// tokenTransfer plans a transfer of fungible tokens, guarded by a post-condition, with or without a memo.
func (p *Planner) tokenTransfer(x *vm.Execution) *vm.Operation {
	contract, from, have := p.tokenOwner(x)
	if from == nil {
		return nil
	}
	to := p.Recipient(x, from.Party)
	amount := have
	if p.random.IntN(4) > 0 && !have.Half().IsZero() {
		amount = have.Half()
	}
	memo := clarity.NewNone()
	if p.random.IntN(3) == 0 {
		memo = clarity.NewSome(value.Buffer("for you"))
	}
	conditions := allowAll
	if amount.Hi == 0 {
		conditions = value.Must(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
			Type: transaction.ConditionFungible, Asset: p.assetID(x, contract), Code: transaction.SentEqual, Amount: amount.Lo,
		}.Of(p.rules.Roll.Principal(from.Party))))
	}
	arguments := []clarity.Value{amount.Value(), p.rules.Roll.Value(from.Party), p.rules.Roll.Value(to), memo}
	return p.call(x, from, contract, conditions, "transfer", arguments, func(x *vm.Execution) nodejson.Outcome {
		if !x.TransferToken(contract, from.Party, to, amount) {
			return vm.Failed(1)
		}
		if text, ok := memo.Inner(); ok {
			x.Print(contract, text)
		}
		return vm.Succeeded()
	})
}

// tokenBurn plans the burn of fungible tokens, sometimes all that the sender has.
func (p *Planner) tokenBurn(x *vm.Execution) *vm.Operation {
	contract, from, have := p.tokenOwner(x)
	if from == nil {
		return nil
	}
	amount := have
	if p.random.IntN(2) == 0 && !have.Half().IsZero() {
		amount = have.Half()
	}
	arguments := []clarity.Value{amount.Value()}
	return p.call(x, from, contract, allowAll, "burn", arguments, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.BurnToken(contract, from.Party, amount), 1)
	})
}

func (p *Planner) assetID(x *vm.Execution, contract ledger.Party) clarity.AssetID {
	return clarity.AssetID{Contract: p.rules.Roll.Principal(contract), Asset: x.Deployed.Get(contract).Asset}
}
