package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
)

// planTokenMint mints fungible tokens, sometimes more than fit into 64 bits.
func (c *Chain) planTokenMint(x *execution) *operation {
	contract, ok := c.contract(x, coinTemplate)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	to := c.recipient(x, contract)
	amount := u64(1 + c.random.Uint64N(1<<40))
	if c.random.IntN(5) == 0 {
		amount.hi = c.random.Uint64N(1 << 30)
	}
	arguments := []clarity.Value{uintValue(amount), c.principalValue(to)}
	return c.call(x, from, contract, allowAll, "mint", arguments, func(x *execution) outcome {
		return check(x.mintToken(contract, to, amount), 1)
	})
}

// tokenOwner returns a random contract with fungible tokens, and a random account that has some of them and can pay a
// fee; nil for none. Strangers and contracts never spend their tokens.
func (c *Chain) tokenOwner(x *execution) (contract party, owner *account, have u128) {
	contract, ok := c.contract(x, coinTemplate)
	if !ok {
		return 0, nil, u128{}
	}
	for range 12 {
		a := c.accounts[c.random.IntN(len(c.accounts))]
		have := x.token.Get(holding{contract, a.party})
		if !have.isZero() && x.available(a.party, x.burn) >= spare {
			return contract, a, have
		}
	}
	return 0, nil, u128{}
}

// planTokenTransfer plans a transfer of fungible tokens, guarded by a post-condition, with or without a memo.
func (c *Chain) planTokenTransfer(x *execution) *operation {
	contract, from, have := c.tokenOwner(x)
	if from == nil {
		return nil
	}
	to := c.recipient(x, from.party)
	amount := have
	if c.random.IntN(4) > 0 && !have.half().isZero() {
		amount = have.half()
	}
	memo := clarity.NewNone()
	if c.random.IntN(3) == 0 {
		memo = clarity.NewSome(must(clarity.NewBuffer([]byte("for you"))))
	}
	conditions := allowAll
	if amount.hi == 0 {
		conditions = must(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
			Type: transaction.ConditionFungible, Asset: c.assetID(x, contract), Code: transaction.SentEqual, Amount: amount.lo,
		}.Of(c.roll.principal(from.party))))
	}
	arguments := []clarity.Value{uintValue(amount), c.principalValue(from.party), c.principalValue(to), memo}
	return c.call(x, from, contract, conditions, "transfer", arguments, func(x *execution) outcome {
		if !x.transferToken(contract, from.party, to, amount) {
			return failed(1)
		}
		if text, ok := memo.Inner(); ok {
			x.print(contract, text)
		}
		return succeeded()
	})
}

// planTokenBurn destroys fungible tokens, sometimes all that the sender has.
func (c *Chain) planTokenBurn(x *execution) *operation {
	contract, from, have := c.tokenOwner(x)
	if from == nil {
		return nil
	}
	amount := have
	if c.random.IntN(2) == 0 && !have.half().isZero() {
		amount = have.half()
	}
	return c.call(x, from, contract, allowAll, "burn", []clarity.Value{uintValue(amount)}, func(x *execution) outcome {
		return check(x.burnToken(contract, from.party, amount), 1)
	})
}

func (c *Chain) assetID(x *execution, contract party) clarity.AssetID {
	return clarity.AssetID{Contract: c.roll.principal(contract), Asset: x.deployed.Get(contract).asset}
}
