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

// itemTemplate returns a random template with non-fungible tokens.
func (p *Planner) itemTemplate() *contracts.Template {
	if p.random.IntN(4) == 0 {
		return contracts.Names
	}
	return contracts.Piece
}

// itemMint plans the mint of a non-fungible token: a new one or, sometimes, an existing or burned one.
func (p *Planner) itemMint(x *vm.Execution) *vm.Operation {
	contract, from := p.caller(x, p.itemTemplate())
	if from == nil {
		return nil
	}
	to := p.Recipient(x, contract)
	next := x.NextItem.Get(contract)
	i := ledger.Item{Contract: contract, Number: next}
	if next > 0 && p.random.IntN(10) == 0 {
		i.Number = p.random.Uint64N(next)
	}
	arguments := []clarity.Value{x.ItemID(i), p.rules.Roll.Value(to)}
	return p.call(x, from, contract, allowAll, "mint", arguments, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.MintItem(i, to), 1)
	})
}

// itemOwner returns a random non-fungible token of an account that can pay a fee, and the account.
func (p *Planner) itemOwner(x *vm.Execution) (ledger.Item, *account.Account) {
	contract, ok := p.contract(x, p.itemTemplate())
	if !ok {
		return ledger.Item{}, nil
	}
	next := x.NextItem.Get(contract)
	for range min(next, 12) {
		i := ledger.Item{Contract: contract, Number: p.random.Uint64N(next)}
		owner, ok := x.Owner.Rows[i]
		if ok && int(owner) < len(p.accounts) && x.Spendable(owner) >= spare {
			return i, p.accounts[owner]
		}
	}
	return ledger.Item{}, nil
}

// itemMove plans the transfer of a non-fungible token, guarded by a post-condition.
func (p *Planner) itemMove(x *vm.Execution) *vm.Operation {
	i, from := p.itemOwner(x)
	if from == nil {
		return nil
	}
	to := p.Recipient(x, from.Party)
	id := x.ItemID(i)
	conditions := value.Must(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
		Type: transaction.ConditionNonFungible, Asset: p.assetID(x, i.Contract), AssetValue: id, Code: transaction.Sent,
	}.OriginPrincipal()))
	arguments := []clarity.Value{id, p.rules.Roll.Value(from.Party), p.rules.Roll.Value(to)}
	return p.call(x, from, i.Contract, conditions, "transfer", arguments, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.TransferItem(i, from.Party, to), 2)
	})
}

// itemBurn plans the burn of a non-fungible token.
func (p *Planner) itemBurn(x *vm.Execution) *vm.Operation {
	i, from := p.itemOwner(x)
	if from == nil {
		return nil
	}
	arguments := []clarity.Value{x.ItemID(i)}
	return p.call(x, from, i.Contract, allowAll, "burn", arguments, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.BurnItem(i, from.Party), 3)
	})
}
