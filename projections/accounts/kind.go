package accounts

import (
	"strata/domain/transaction"
)

// txType is a type of transactions as the API names it. Its number is the lowest payload id that has the name.
type txType int16

const (
	tokenTransfer    = txType(transaction.TokenTransferID)
	smartContract    = txType(transaction.SmartContractID)
	contractCall     = txType(transaction.ContractCallID)
	poisonMicroblock = txType(transaction.PoisonMicroblockID)
	coinbase         = txType(transaction.CoinbaseID)
	tenureChange     = txType(transaction.TenureChangeID)

	// unknownType is the type of unknown payloads, and of operations from Bitcoin that neither an event nor the node
	// describes.
	unknownType txType = -1
)

// txTypes are the counted types, in the order of the columns of table block.
var txTypes = [...]txType{tokenTransfer, smartContract, contractCall, poisonMicroblock, coinbase, tenureChange}

// typeTotals are the numbers of transactions of each type.
type typeTotals [len(txTypes)]int64

// next counts one more transaction of a type and returns its number. It returns 0 for the unknown type, which has no
// list.
func (t *typeTotals) next(of txType) int64 {
	for i, known := range txTypes {
		if known == of {
			t[i]++
			return t[i]
		}
	}
	return 0
}

func typeOf(payload transaction.Payload) txType {
	switch payload.(type) {
	case *transaction.TokenTransfer:
		return tokenTransfer
	case *transaction.SmartContract, *transaction.VersionedSmartContract:
		return smartContract
	case *transaction.ContractCall:
		return contractCall
	case *transaction.PoisonMicroblock:
		return poisonMicroblock
	case *transaction.Coinbase, *transaction.CoinbaseToAltRecipient, *transaction.NakamotoCoinbase:
		return coinbase
	case *transaction.TenureChange:
		return tenureChange
	}
	return unknownType
}

// involvement is the set of an account's roles in a transaction.
type involvement int16

const (
	isSender involvement = 1 << iota
	isSponsor
	isRecipient // of the token transfer, whether or not it succeeded
	isCalled
	isDeployed
	isParty // of an event that moves an asset
	affectsSTX
	affectsFT
	affectsNFT
)

// eventKind is the kind of an account's event. The first nine are counted for each transaction, in this order.
type eventKind int16

const (
	stxTransfer eventKind = iota + 1
	stxMint
	stxBurn
	ftTransfer
	ftMint
	ftBurn
	nftTransfer
	nftMint
	nftBurn
	stxLock

	countedKinds = int(nftBurn)
)

// affects returns the kind of asset that the event moves.
func (k eventKind) affects() involvement {
	switch {
	case k <= stxBurn:
		return affectsSTX
	case k <= ftBurn:
		return affectsFT
	default:
		return affectsNFT
	}
}

// transferType is the way in which STX came in. Zero means that the event is in no list of inbound transfers.
type transferType int16

const (
	bulkSend transferType = iota + 1
	plainTransfer
	memoTransfer
)
