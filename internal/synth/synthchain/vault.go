package synthchain

import (
	"math/big"

	"strata/domain/clarity"
	"strata/domain/transaction"
)

// planVault plans a call that makes a contract move or burn STX.
func (c *Chain) planVault(x *execution) *operation {
	contract, ok := c.contract(x, vaultTemplate)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	amount := c.part(x.available(from.party, x.burn) - 2*maxFee)
	value := []clarity.Value{clarity.NewUint64(amount)}
	switch c.random.IntN(5) {
	case 0:
		if held := x.available(contract, x.burn); held > 0 {
			amount = c.part(held)
			value[0] = clarity.NewUint64(amount)
			return c.call(x, from, contract, allowAll, "withdraw", value, func(x *execution) outcome {
				return check(x.transferSTX(contract, from.party, amount, nil), 1)
			})
		}
		fallthrough
	case 1, 2:
		conditions := must(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
			Type: transaction.ConditionSTX, Code: transaction.SentLessOrEqual, Amount: amount,
		}.OriginPrincipal()))
		return c.call(x, from, contract, conditions, "deposit", value, func(x *execution) outcome {
			return check(x.transferSTX(from.party, contract, amount, nil), 1)
		})
	case 3:
		amount = min(amount, 1_000_000)
		value[0] = clarity.NewUint64(amount)
		return c.call(x, from, contract, allowAll, "destroy", value, func(x *execution) outcome {
			return check(x.burnSTX(from.party, amount), 1)
		})
	default:
		first, second := c.recipient(x, from.party), c.recipient(x, from.party)
		value = append(value, c.principalValue(first), c.principalValue(second))
		return c.call(x, from, contract, allowAll, "share", value, func(x *execution) outcome {
			if !x.transferSTX(from.party, first, amount, nil) {
				return failed(1)
			}
			x.print(contract, must(clarity.NewTuple(
				clarity.Field{Name: "topic", Value: must(clarity.NewASCII("share"))},
				clarity.Field{Name: "amount", Value: clarity.NewUint64(amount)},
			)))
			return check(x.transferSTX(from.party, second, amount, nil), 1)
		})
	}
}

// planPrint plans a call that prints a value of a random type.
func (c *Chain) planPrint(x *execution) *operation {
	contract, ok := c.contract(x, vaultTemplate)
	from := c.sender(x)
	if !ok || from == nil {
		return nil
	}
	kind := c.random.IntN(8)
	value := c.specimen(kind, from.party)
	arguments := []clarity.Value{clarity.NewUint64(uint64(kind))}
	return c.call(x, from, contract, allowAll, "note", arguments, func(x *execution) outcome {
		x.print(contract, value)
		return succeeded()
	})
}

// specimen returns a value that readers easily get wrong.
func (c *Chain) specimen(kind int, p party) clarity.Value {
	switch kind {
	case 0:
		return uintValue(u128{^uint64(0), ^uint64(0)})
	case 1:
		lowest := new(big.Int).Lsh(big.NewInt(-1), 127)
		return must(clarity.NewInt(lowest))
	case 2:
		return must(clarity.NewUTF8("NUL \x00, tab \t, quote \", 日本, 🦊"))
	case 3:
		return must(clarity.NewASCII(`back\slash "quoted" text`))
	case 4:
		b := make([]byte, 1+c.random.IntN(40))
		c.random.Fill(b)
		return must(clarity.NewBuffer(b))
	case 5:
		return must(clarity.NewList(c.principalValue(p), c.principalValue(c.stranger(0))))
	case 6:
		inner := must(clarity.NewTuple(clarity.Field{Name: "deep", Value: clarity.NewSome(clarity.NewOk(clarity.NewBool(true)))}))
		return must(clarity.NewTuple(
			clarity.Field{Name: "notification", Value: must(clarity.NewASCII("token-metadata-update"))},
			clarity.Field{Name: "payload", Value: inner},
		))
	}
	return clarity.NewNone()
}
