package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
)

// itemContract returns a random contract with non-fungible tokens.
func (c *Chain) itemContract(x *execution) (party, bool) {
	if c.random.IntN(4) == 0 {
		return c.contract(x, nameTemplate)
	}
	return c.contract(x, pieceTemplate)
}

// planItemMint mints a non-fungible token: a new one or, sometimes, an existing or burned one.
func (c *Chain) planItemMint(x *execution) *operation {
	contract, ok := c.itemContract(x)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	to := c.recipient(x, contract)
	next := x.items.Get(contract)
	i := item{contract, next}
	if next > 0 && c.random.IntN(10) == 0 {
		i.number = c.random.Uint64N(next)
	}
	arguments := []clarity.Value{x.itemValue(i), c.principalValue(to)}
	return c.call(x, from, contract, allowAll, "mint", arguments, func(x *execution) outcome {
		if !x.mintItem(i, to) {
			return failed(1)
		}
		x.items.Set(contract, max(x.items.Get(contract), i.number+1))
		return succeeded()
	})
}

// itemOwner returns a random non-fungible token of an account that can pay a fee, and the account.
func (c *Chain) itemOwner(x *execution) (item, *account) {
	contract, ok := c.itemContract(x)
	if !ok {
		return item{}, nil
	}
	next := x.items.Get(contract)
	for range min(next, 12) {
		i := item{contract, c.random.Uint64N(next)}
		owner, ok := x.item.Rows[i]
		if ok && int(owner) < len(c.accounts) && x.available(owner, x.burn) >= spare {
			return i, c.accounts[owner]
		}
	}
	return item{}, nil
}

// planItemMove transfers a non-fungible token, guarded by a post-condition.
func (c *Chain) planItemMove(x *execution) *operation {
	i, from := c.itemOwner(x)
	if from == nil {
		return nil
	}
	to := c.recipient(x, from.party)
	value := x.itemValue(i)
	conditions := must(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
		Type: transaction.ConditionNonFungible, Asset: c.assetID(x, i.contract), AssetValue: value, Code: transaction.Sent,
	}.OriginPrincipal()))
	arguments := []clarity.Value{value, c.principalValue(from.party), c.principalValue(to)}
	return c.call(x, from, i.contract, conditions, "transfer", arguments, func(x *execution) outcome {
		return check(x.transferItem(i, from.party, to), 2)
	})
}

// planItemBurn destroys a non-fungible token.
func (c *Chain) planItemBurn(x *execution) *operation {
	i, from := c.itemOwner(x)
	if from == nil {
		return nil
	}
	return c.call(x, from, i.contract, allowAll, "burn", []clarity.Value{x.itemValue(i)}, func(x *execution) outcome {
		return check(x.burnItem(i, from.party), 3)
	})
}
