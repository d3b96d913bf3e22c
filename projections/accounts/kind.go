package accounts

import (
	"strata/domain/transaction"
)

// txType is the type of a transaction as the API names it, by the least payload id of those that share the name.
type txType int16

const (
	tokenTransfer    = txType(transaction.TokenTransferID)
	smartContract    = txType(transaction.SmartContractID)
	contractCall     = txType(transaction.ContractCallID)
	poisonMicroblock = txType(transaction.PoisonMicroblockID)
	coinbase         = txType(transaction.CoinbaseID)
	tenureChange     = txType(transaction.TenureChangeID)

	// unknownType is that of payloads that this program does not know, and of operations from Bitcoin of which nothing
	// tells what they were.
	unknownType txType = -1
)

// txTypes are those that are counted, in the order of the columns of block.
var txTypes = [...]txType{tokenTransfer, smartContract, contractCall, poisonMicroblock, coinbase, tenureChange}

// typeTotals are the numbers of transactions of each type.
type typeTotals [len(txTypes)]int64

// next is the number of a further transaction of a type; 0 for an unknown one, which is in no list.
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

// involvement says what an account has to do with a transaction.
type involvement int16

const (
	isSender involvement = 1 << iota
	isSponsor
	isRecipient // of the token transfer, whether or not it succeeded
	isCalled
	isDeployed
	isParty // of an event that moves something
	affectsSTX
	affectsFT
	affectsNFT
)

// eventKind is what an event of an account is. The first nine are counted for each transaction, in this order.
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

// affects says what of an account the event moves.
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

// transferType says how STX came in; zero is for what is in no list of inbound transfers.
type transferType int16

const (
	bulkSend transferType = iota + 1
	plainTransfer
	memoTransfer
)
