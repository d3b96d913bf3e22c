package plan

import (
	"math/big"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/value"
)

// vault plans a call that makes a contract move or burn STX.
func (p *Planner) vault(x *vm.Execution, contract ledger.Party, from *account.Account) *vm.Operation {
	amount := p.part(x.Spendable(from.Party) - 2*maxFee)
	arguments := []clarity.Value{clarity.NewUint64(amount)}
	switch p.random.IntN(5) {
	case 0:
		if held := x.Spendable(contract); held > 0 {
			amount = p.part(held)
			arguments[0] = clarity.NewUint64(amount)
			return p.call(x, from, contract, allowAll, "withdraw", arguments, func(x *vm.Execution) nodejson.Outcome {
				return vm.Check(x.TransferSTX(contract, from.Party, amount, nil), 1)
			})
		}
		fallthrough
	case 1, 2:
		conditions := value.Must(transaction.NewPostConditions(transaction.PostConditionDeny, transaction.PostCondition{
			Type: transaction.ConditionSTX, Code: transaction.SentLessOrEqual, Amount: amount,
		}.OriginPrincipal()))
		return p.call(x, from, contract, conditions, "deposit", arguments, func(x *vm.Execution) nodejson.Outcome {
			return vm.Check(x.TransferSTX(from.Party, contract, amount, nil), 1)
		})
	case 3:
		amount = min(amount, 1_000_000)
		arguments[0] = clarity.NewUint64(amount)
		return p.call(x, from, contract, allowAll, "destroy", arguments, func(x *vm.Execution) nodejson.Outcome {
			return vm.Check(x.BurnSTX(from.Party, amount), 1)
		})
	default:
		first, second := p.Recipient(x, from.Party), p.Recipient(x, from.Party)
		arguments = append(arguments, p.rules.Roll.Value(first), p.rules.Roll.Value(second))
		return p.call(x, from, contract, allowAll, "share", arguments, func(x *vm.Execution) nodejson.Outcome {
			if !x.TransferSTX(from.Party, first, amount, nil) {
				return vm.Failed(1)
			}
			x.Print(contract, value.Tuple("topic", "share", "amount", amount))
			return vm.Check(x.TransferSTX(from.Party, second, amount, nil), 1)
		})
	}
}

// printValue plans a call that prints a value of a random type.
func (p *Planner) printValue(x *vm.Execution, contract ledger.Party, from *account.Account) *vm.Operation {
	kind := p.random.IntN(8)
	printed := p.specimen(kind, from.Party)
	arguments := []clarity.Value{clarity.NewUint64(uint64(kind))}
	return p.call(x, from, contract, allowAll, "note", arguments, func(x *vm.Execution) nodejson.Outcome {
		x.Print(contract, printed)
		return vm.Succeeded()
	})
}

// specimen returns a value that readers easily get wrong.
func (p *Planner) specimen(kind int, who ledger.Party) clarity.Value {
	switch kind {
	case 0:
		return ledger.MaxAmount.Value()
	case 1:
		lowest := new(big.Int).Lsh(big.NewInt(-1), 127)
		return value.Must(clarity.NewInt(lowest))
	case 2:
		return value.Must(clarity.NewUTF8("NUL \x00, tab \t, quote \", 日本, 🦊"))
	case 3:
		return value.Text(`back\slash "quoted" text`)
	case 4:
		b := make([]byte, 1+p.random.IntN(40))
		p.random.Fill(b)
		return value.Buffer(b)
	case 5:
		return value.Must(clarity.NewList(p.rules.Roll.Value(who), p.rules.Roll.Value(p.stranger(0))))
	case 6:
		deep := clarity.NewSome(clarity.NewOk(clarity.NewBool(true)))
		inner := value.Tuple("deep", deep)
		return value.Tuple("notification", "token-metadata-update", "payload", inner)
	}
	return clarity.NewNone()
}
