package synthchain

import (
	"math/big"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/must"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// planVault plans a call that makes a contract move or burn STX.
func (c *Chain) planVault(x *vm.Execution) *vm.Operation {
	contract, ok := c.contract(x, contracts.Vault)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	amount := c.part(x.Spendable(from.Party) - 2*maxFee)
	value := []clarity.Value{clarity.NewUint64(amount)}
	switch c.random.IntN(5) {
	case 0:
		if held := x.Spendable(contract); held > 0 {
			amount = c.part(held)
			value[0] = clarity.NewUint64(amount)
			return c.call(x, from, contract, allowAll, "withdraw", value, func(x *vm.Execution) nodejson.Outcome {
				return vm.Check(x.TransferSTX(contract, from.Party, amount, nil), 1)
			})
		}
		fallthrough
	case 1, 2:
		conditions := must.Get(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
			Type: transaction.ConditionSTX, Code: transaction.SentLessOrEqual, Amount: amount,
		}.OriginPrincipal()))
		return c.call(x, from, contract, conditions, "deposit", value, func(x *vm.Execution) nodejson.Outcome {
			return vm.Check(x.TransferSTX(from.Party, contract, amount, nil), 1)
		})
	case 3:
		amount = min(amount, 1_000_000)
		value[0] = clarity.NewUint64(amount)
		return c.call(x, from, contract, allowAll, "destroy", value, func(x *vm.Execution) nodejson.Outcome {
			return vm.Check(x.BurnSTX(from.Party, amount), 1)
		})
	default:
		first, second := c.recipient(x, from.Party), c.recipient(x, from.Party)
		value = append(value, c.roll.Value(first), c.roll.Value(second))
		return c.call(x, from, contract, allowAll, "share", value, func(x *vm.Execution) nodejson.Outcome {
			if !x.TransferSTX(from.Party, first, amount, nil) {
				return vm.Failed(1)
			}
			x.Print(contract, must.Get(clarity.NewTuple(
				clarity.Field{Name: "topic", Value: must.Get(clarity.NewASCII("share"))},
				clarity.Field{Name: "amount", Value: clarity.NewUint64(amount)},
			)))
			return vm.Check(x.TransferSTX(from.Party, second, amount, nil), 1)
		})
	}
}

// planPrint plans a call that prints a value of a random type.
func (c *Chain) planPrint(x *vm.Execution) *vm.Operation {
	contract, ok := c.contract(x, contracts.Vault)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	kind := c.random.IntN(8)
	value := c.specimen(kind, from.Party)
	arguments := []clarity.Value{clarity.NewUint64(uint64(kind))}
	return c.call(x, from, contract, allowAll, "note", arguments, func(x *vm.Execution) nodejson.Outcome {
		x.Print(contract, value)
		return vm.Succeeded()
	})
}

// specimen returns a value that readers easily get wrong.
func (c *Chain) specimen(kind int, p ledger.Party) clarity.Value {
	switch kind {
	case 0:
		return ledger.MaxAmount.Value()
	case 1:
		lowest := new(big.Int).Lsh(big.NewInt(-1), 127)
		return must.Get(clarity.NewInt(lowest))
	case 2:
		return must.Get(clarity.NewUTF8("NUL \x00, tab \t, quote \", 日本, 🦊"))
	case 3:
		return must.Get(clarity.NewASCII(`back\slash "quoted" text`))
	case 4:
		b := make([]byte, 1+c.random.IntN(40))
		c.random.Fill(b)
		return must.Get(clarity.NewBuffer(b))
	case 5:
		return must.Get(clarity.NewList(c.roll.Value(p), c.roll.Value(c.stranger(0))))
	case 6:
		inner := must.Get(clarity.NewTuple(clarity.Field{Name: "deep", Value: clarity.NewSome(clarity.NewOk(clarity.NewBool(true)))}))
		return must.Get(clarity.NewTuple(
			clarity.Field{Name: "notification", Value: must.Get(clarity.NewASCII("token-metadata-update"))},
			clarity.Field{Name: "payload", Value: inner},
		))
	}
	return clarity.NewNone()
}
