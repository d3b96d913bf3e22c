package construction

import (
	"strata/domain/pox"
	"strata/domain/transaction"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/operation"
	"strata/readapi/rosetta/internal/wire"
)

// Parsed is what a constructed transaction does.
type Parsed struct {
	Operations []operation.Operation
	Signers    []string // accounts that have signed
	Memo       *string
}

// Parse returns what a transaction does. signed is what the client takes it for.
func (b *Builder) Parse(text string, signed bool) (*Parsed, error) {
	tx, err := b.Decode(text)
	if err != nil {
		return nil, err
	}
	if Signed(&tx.Origin) != signed {
		return nil, fault.Newf(fault.InvalidParams, "signed is %t, and the transaction says otherwise", signed)
	}
	parsed := &Parsed{Operations: operation.OfPayload(tx, operation.None)}
	for i := range parsed.Operations {
		op := &parsed.Operations[i]
		if detail, ok := op.Detail.(operation.CallDetail); ok {
			detail.Amount = stackedAmount(detail.Call)
			op.Detail = detail
			if detail.Amount != "" {
				parsed.Operations = append(parsed.Operations, stackingIntent(op, detail))
			}
			break
		}
	}
	if transfer, ok := tx.Payload.(*transaction.TokenTransfer); ok {
		parsed.Memo = operation.Memo(transfer.Memo[:])
	}
	if signed {
		parsed.Signers = append(parsed.Signers, tx.Sender().String())
		if tx.Sponsor != nil && Signed(tx.Sponsor) {
			parsed.Signers = append(parsed.Signers, tx.FeePayer().String())
		}
	}
	return parsed, nil
}

// intentNames are the operations that become calls of these functions.
var intentNames = map[string]string{"stack-stx": typeStack, "delegate-stx": typeDelegate}

// stackedAmount returns the µSTX that a stacking call names; empty for any other call.
func stackedAmount(call *transaction.ContractCall) string {
	if _, ok := pox.Version(call.Contract); !ok || intentNames[call.Function] == "" || call.Arguments.Len() == 0 {
		return ""
	}
	amount, _ := call.Arguments.List()[0].Decimal()
	return amount
}

// stackingIntent returns the operation of which a stacking call was constructed, for the dialect that shows it besides
// the call.
func stackingIntent(call *operation.Operation, detail operation.CallDetail) operation.Operation {
	return operation.Operation{
		Kind: operation.Stacking, Status: operation.None, Account: call.Account, Value: operation.Negative(detail.Amount), Currency: wire.STX(),
		Detail: operation.StackingDetail{Name: intentNames[detail.Call.Function], Metadata: map[string]any{"contract_identifier": detail.Call.Contract.String()}},
	}
}
