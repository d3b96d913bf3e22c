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

// planTokenMint mints fungible tokens, sometimes more than fit into 64 bits.
func (c *Chain) planTokenMint(x *vm.Execution) *vm.Operation {
	contract, ok := c.contract(x, contracts.Coin)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	to := c.recipient(x, contract)
	amount := ledger.NewAmount(1 + c.random.Uint64N(1<<40))
	if c.random.IntN(5) == 0 {
		amount.Hi = c.random.Uint64N(1 << 30)
	}
	arguments := []clarity.Value{amount.Value(), c.roll.Value(to)}
	return c.call(x, from, contract, allowAll, "mint", arguments, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.MintToken(contract, to, amount), 1)
	})
}

// tokenOwner returns a random contract with fungible tokens, and a random account that has some of them and can pay a
// fee; nil for none. Strangers and contracts never spend their tokens.
func (c *Chain) tokenOwner(x *vm.Execution) (contract ledger.Party, owner *account.Account, have ledger.Amount) {
	contract, ok := c.contract(x, contracts.Coin)
	if !ok {
		return 0, nil, ledger.Amount{}
	}
	for range 12 {
		a := c.accounts[c.random.IntN(len(c.accounts))]
		have := x.Token.Get(ledger.Holding{Contract: contract, Owner: a.Party})
		if !have.IsZero() && x.Spendable(a.Party) >= spare {
			return contract, a, have
		}
	}
	return 0, nil, ledger.Amount{}
}

// planTokenTransfer plans a transfer of fungible tokens, guarded by a post-condition, with or without a memo.
func (c *Chain) planTokenTransfer(x *vm.Execution) *vm.Operation {
	contract, from, have := c.tokenOwner(x)
	if from == nil {
		return nil
	}
	to := c.recipient(x, from.Party)
	amount := have
	if c.random.IntN(4) > 0 && !have.Half().IsZero() {
		amount = have.Half()
	}
	memo := clarity.NewNone()
	if c.random.IntN(3) == 0 {
		memo = clarity.NewSome(must.Get(clarity.NewBuffer([]byte("for you"))))
	}
	conditions := allowAll
	if amount.Hi == 0 {
		conditions = must.Get(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
			Type: transaction.ConditionFungible, Asset: c.assetID(x, contract), Code: transaction.SentEqual, Amount: amount.Lo,
		}.Of(c.roll.Principal(from.Party))))
	}
	arguments := []clarity.Value{amount.Value(), c.roll.Value(from.Party), c.roll.Value(to), memo}
	return c.call(x, from, contract, conditions, "transfer", arguments, func(x *vm.Execution) nodejson.Outcome {
		if !x.TransferToken(contract, from.Party, to, amount) {
			return vm.Failed(1)
		}
		if text, ok := memo.Inner(); ok {
			x.Print(contract, text)
		}
		return vm.Succeeded()
	})
}

// planTokenBurn destroys fungible tokens, sometimes all that the sender has.
func (c *Chain) planTokenBurn(x *vm.Execution) *vm.Operation {
	contract, from, have := c.tokenOwner(x)
	if from == nil {
		return nil
	}
	amount := have
	if c.random.IntN(2) == 0 && !have.Half().IsZero() {
		amount = have.Half()
	}
	return c.call(x, from, contract, allowAll, "burn", []clarity.Value{amount.Value()}, func(x *vm.Execution) nodejson.Outcome {
		return vm.Check(x.BurnToken(contract, from.Party, amount), 1)
	})
}

func (c *Chain) assetID(x *vm.Execution, contract ledger.Party) clarity.AssetID {
	return clarity.AssetID{Contract: c.roll.Principal(contract), Asset: x.Deployed.Get(contract).Asset}
}
