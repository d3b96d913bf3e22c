package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/must"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// itemContract returns a random contract with non-fungible tokens.
func (c *Chain) itemContract(x *vm.Execution) (ledger.Party, bool) {
	if c.random.IntN(4) == 0 {
		return c.contract(x, contracts.Names)
	}
	return c.contract(x, contracts.Piece)
}

// planItemMint mints a non-fungible token: a new one or, sometimes, an existing or burned one.
func (c *Chain) planItemMint(x *vm.Execution) *vm.Operation {
	contract, ok := c.itemContract(x)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	to := c.recipient(x, contract)
	next := x.NextItem.Get(contract)
	i := ledger.Item{Contract: contract, Number: next}
	if next > 0 && c.random.IntN(10) == 0 {
		i.Number = c.random.Uint64N(next)
	}
	arguments := []clarity.Value{x.ItemID(i), c.roll.Value(to)}
	return c.call(x, from, contract, allowAll, "mint", arguments, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.MintItem(i, to), 1)
	})
}

// itemOwner returns a random non-fungible token of an account that can pay a fee, and the account.
func (c *Chain) itemOwner(x *vm.Execution) (ledger.Item, *account.Account) {
	contract, ok := c.itemContract(x)
	if !ok {
		return ledger.Item{}, nil
	}
	next := x.NextItem.Get(contract)
	for range min(next, 12) {
		i := ledger.Item{Contract: contract, Number: c.random.Uint64N(next)}
		owner, ok := x.Owner.Rows[i]
		if ok && int(owner) < len(c.accounts) && x.Spendable(owner) >= spare {
			return i, c.accounts[owner]
		}
	}
	return ledger.Item{}, nil
}

// planItemMove transfers a non-fungible token, guarded by a post-condition.
func (c *Chain) planItemMove(x *vm.Execution) *vm.Operation {
	i, from := c.itemOwner(x)
	if from == nil {
		return nil
	}
	to := c.recipient(x, from.Party)
	value := x.ItemID(i)
	conditions := must.Get(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
		Type: transaction.ConditionNonFungible, Asset: c.assetID(x, i.Contract), AssetValue: value, Code: transaction.Sent,
	}.OriginPrincipal()))
	arguments := []clarity.Value{value, c.roll.Value(from.Party), c.roll.Value(to)}
	return c.call(x, from, i.Contract, conditions, "transfer", arguments, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.TransferItem(i, from.Party, to), 2)
	})
}

// planItemBurn destroys a non-fungible token.
func (c *Chain) planItemBurn(x *vm.Execution) *vm.Operation {
	i, from := c.itemOwner(x)
	if from == nil {
		return nil
	}
	return c.call(x, from, i.Contract, allowAll, "burn", []clarity.Value{x.ItemID(i)}, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.BurnItem(i, from.Party), 3)
	})
}
