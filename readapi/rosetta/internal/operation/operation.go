// Package operation has the operations of transactions, as the ledger and the payloads tell them, before a dialect names
// them.
package operation

import (
	"strconv"
	"strings"

	"strata/domain/contract"
	"strata/domain/transaction"
	"strata/readapi/rosetta/internal/wire"
)

// Kind is what an operation does.
type Kind uint8

// Kinds of operations. Those that move amounts come first.
const (
	Fee Kind = iota + 1
	Transfer
	Mint
	Burn
	Reward
	Lock
	Unlock
	Call
	Deploy
	Coinbase
	Poison
	TenureChange
	Log
	Stacking
)

// Statuses that are not a node's.
const (
	Success = "success"
	Pending = "pending" // in the mempool
	None    = ""        // of a transaction that is being constructed
)

// Operation is a part of a transaction. It changes the balance of Account by Value if its status is Success.
type Operation struct {
	Kind     Kind
	Status   string
	Account  string // empty for none
	Value    string // signed decimal in base units of Currency; empty for no amount
	Currency wire.Currency
	// Pair is set if the operation credits what the one before it debits.
	Pair   bool
	Detail any // by kind: the types below; nil for none
}

// FeeDetail belongs to Fee.
type FeeDetail struct{ Sponsored bool }

// TransferDetail belongs to Transfer of STX. Memo is nil without one.
type TransferDetail struct{ Memo *string }

// LockDetail belongs to Lock.
type LockDetail struct {
	Locked       string // µSTX, in total after it
	UnlockHeight int64  // of Bitcoin
	Contract     string // empty if the node did not name it
}

// UnlockDetail belongs to Unlock.
type UnlockDetail struct{ Carrier string } // the transaction that shows it

// CallDetail belongs to Call.
type CallDetail struct {
	Call      *transaction.ContractCall
	Signature string // empty if the interface is not known
	Arguments []contract.CallArgument
	Result    []byte // a Clarity value; nil before it is mined
	Amount    string // µSTX that a stacking call names, while it is being constructed; empty otherwise
}

// DeployDetail belongs to Deploy.
type DeployDetail struct {
	Contract string
	Source   string
	Version  *uint8 // of Clarity; nil for the epoch's default
}

// CoinbaseDetail belongs to Coinbase.
type CoinbaseDetail struct {
	AltRecipient *string
	VRFProof     []byte // nil before Nakamoto
}

// LogDetail belongs to Log: a value that a contract prints.
type LogDetail struct {
	Contract, Topic string
	Value           []byte
}

// StackingDetail belongs to Stacking: what a stacking contract reports.
type StackingDetail struct {
	Name     string // such as delegate_stack_stx
	Amount   string // µSTX; empty for none
	Metadata map[string]any
}

// Negative returns the negation of an unsigned decimal.
func Negative(value string) string {
	if strings.Trim(value, "0") == "" {
		return "0"
	}
	return "-" + value
}

// FeeOf returns the fee of a transaction. Payloads of miners have one only if they pay it; ok is false without.
func FeeOf(tx *transaction.Transaction, status string) (op Operation, ok bool) {
	switch tx.Payload.(type) {
	case *transaction.TokenTransfer, *transaction.ContractCall, *transaction.SmartContract, *transaction.VersionedSmartContract:
	default:
		if tx.Fee() == 0 {
			return op, false
		}
	}
	return Operation{
		Kind: Fee, Status: status, Account: tx.FeePayer().String(), Value: Negative(strconv.FormatUint(tx.Fee(), 10)), Currency: wire.STX(),
		Detail: FeeDetail{tx.Sponsored()},
	}, true
}

// TransferOf returns the debit and the credit of a token transfer as its payload states them.
func TransferOf(tx *transaction.Transaction, status string) []Operation {
	p, ok := tx.Payload.(*transaction.TokenTransfer)
	if !ok {
		return nil
	}
	amount, detail := strconv.FormatUint(p.Amount, 10), TransferDetail{Memo(p.Memo[:])}
	return []Operation{
		{Kind: Transfer, Status: status, Account: tx.Sender().String(), Value: Negative(amount), Currency: wire.STX(), Detail: detail},
		{Kind: Transfer, Status: status, Account: p.Recipient.String(), Value: amount, Currency: wire.STX(), Pair: true, Detail: detail},
	}
}

// MainOf returns the operation that names what a transaction does, unless that is a token transfer; ok is false for none.
// sender returns the text of the sender, and call the detail of a call.
func MainOf(tx *transaction.Transaction, sender func() string, status string, call func(*transaction.ContractCall) CallDetail) (op Operation, ok bool) {
	op.Status = status
	switch p := tx.Payload.(type) {
	case *transaction.ContractCall:
		op.Kind, op.Detail = Call, call(p)
	case *transaction.SmartContract:
		op.Kind, op.Detail = Deploy, deployOf(tx, p, nil)
	case *transaction.VersionedSmartContract:
		op.Kind, op.Detail = Deploy, deployOf(tx, &p.SmartContract, &p.ClarityVersion)
	case *transaction.Coinbase:
		op.Kind, op.Detail = Coinbase, CoinbaseDetail{}
	case *transaction.CoinbaseToAltRecipient:
		recipient := p.Recipient.String()
		op.Kind, op.Detail = Coinbase, CoinbaseDetail{AltRecipient: &recipient}
	case *transaction.NakamotoCoinbase:
		detail := CoinbaseDetail{VRFProof: p.VRFProof[:]}
		if p.Recipient != nil {
			recipient := p.Recipient.String()
			detail.AltRecipient = &recipient
		}
		op.Kind, op.Detail = Coinbase, detail
	case *transaction.PoisonMicroblock:
		op.Kind = Poison
	case *transaction.TenureChange:
		op.Kind, op.Detail = TenureChange, p
		return op, true
	default:
		return op, false
	}
	op.Account = sender()
	return op, true
}

// OfPayload returns the operations that a transaction states itself, for one that no block has yet.
func OfPayload(tx *transaction.Transaction, status string) (all []Operation) {
	if fee, ok := FeeOf(tx, status); ok {
		all = append(all, fee)
	}
	all = append(all, TransferOf(tx, status)...)
	if main, ok := MainOf(tx, func() string { return tx.Sender().String() }, status, PlainCall); ok {
		all = append(all, main)
	}
	return all
}

// PlainCall returns the detail of a call to a contract whose interface is not known.
func PlainCall(p *transaction.ContractCall) CallDetail {
	signature, arguments := (*contract.Interface)(nil).Call(p.Function, p.Arguments.List())
	return CallDetail{Call: p, Signature: signature, Arguments: arguments}
}

func deployOf(tx *transaction.Transaction, p *transaction.SmartContract, version *uint8) DeployDetail {
	deployed, _ := tx.Deploys()
	return DeployDetail{Contract: deployed.String(), Source: string(p.Code), Version: version}
}
