package activity

import (
	"slices"

	"strata/domain/transaction"
)

// TxType is a type of transactions as the API names it. Its number is the lowest payload id that has the name.
type TxType int16

// Types of transactions.
const (
	TokenTransfer    = TxType(transaction.TokenTransferID)
	SmartContract    = TxType(transaction.SmartContractID)
	ContractCall     = TxType(transaction.ContractCallID)
	PoisonMicroblock = TxType(transaction.PoisonMicroblockID)
	Coinbase         = TxType(transaction.CoinbaseID)
	TenureChange     = TxType(transaction.TenureChangeID)

	// Unknown is the type of unknown payloads, and of operations from Bitcoin that neither an event nor the node
	// describes.
	Unknown TxType = -1
)

// TxTypes are the types that are counted, in the order of the columns of the table block. Unknown is not among them.
var TxTypes = [...]TxType{TokenTransfer, SmartContract, ContractCall, PoisonMicroblock, Coinbase, TenureChange}

// String returns the type as the API writes it.
func (t TxType) String() string {
	if !slices.Contains(TxTypes[:], t) {
		return "unknown"
	}
	return transaction.PayloadID(t).TxType()
}

// Column returns the column of the table block that counts the transactions of the type up to and including a block.
func (t TxType) Column() string { return t.String() + "s" }

// TypeOf returns the type of a payload.
func TypeOf(payload transaction.Payload) TxType {
	switch payload.(type) {
	case *transaction.TokenTransfer:
		return TokenTransfer
	case *transaction.SmartContract, *transaction.VersionedSmartContract:
		return SmartContract
	case *transaction.ContractCall:
		return ContractCall
	case *transaction.PoisonMicroblock:
		return PoisonMicroblock
	case *transaction.Coinbase, *transaction.CoinbaseToAltRecipient, *transaction.NakamotoCoinbase:
		return Coinbase
	case *transaction.TenureChange:
		return TenureChange
	}
	return Unknown
}
