package transaction

// PayloadID is the first byte of a payload.
type PayloadID uint8

// The payload ids.
const (
	TokenTransferID     PayloadID = 0
	SmartContractID     PayloadID = 1
	ContractCallID      PayloadID = 2
	PoisonMicroblockID  PayloadID = 3
	CoinbaseID          PayloadID = 4
	CoinbaseToAltID     PayloadID = 5 // since epoch 2.1
	VersionedContractID PayloadID = 6 // since epoch 2.1
	TenureChangeID      PayloadID = 7 // since epoch 2.5
	NakamotoCoinbaseID  PayloadID = 8 // since epoch 2.5

	unknownPayloadID PayloadID = 0xff
)

// The results of TxType and Name.
const (
	txTypeTokenTransfer    = "token_transfer"
	txTypeSmartContract    = "smart_contract"
	txTypeContractCall     = "contract_call"
	txTypePoisonMicroblock = "poison_microblock"
	txTypeCoinbase         = "coinbase"
	txTypeTenureChange     = "tenure_change"

	nameCoinbaseToAlt     = "coinbase_to_alt_recipient"
	nameVersionedContract = "versioned_smart_contract"
	nameNakamotoCoinbase  = "nakamoto_coinbase"
	nameUndecoded         = "undecoded"
)

// Payload is what a transaction does: one of the pointer types *TokenTransfer, *SmartContract, *ContractCall,
// *PoisonMicroblock, *Coinbase, *CoinbaseToAltRecipient, *VersionedSmartContract, *TenureChange, *NakamotoCoinbase
// and *Undecoded.
type Payload interface {
	// ID returns the first byte of the payload.
	ID() PayloadID
	// TxType returns the tx_type that existing APIs show. Several payload types share one.
	TxType() string
	// Name returns a name that, unlike TxType, differs between all payload types.
	Name() string

	appendTo(dst []byte) []byte
	validate() error
	// sizeHint returns the approximate size on the wire in bytes.
	sizeHint() int
}

// readPayload reads a payload. It returns an *Undecoded for one of unknown layout.
func readPayload(r *reader) Payload {
	start := r.off
	id := PayloadID(r.u8("payload id"))
	if r.err != nil {
		return nil
	}
	switch id {
	case TokenTransferID:
		return readTokenTransfer(r)
	case SmartContractID:
		return readSmartContract(r)
	case ContractCallID:
		return readContractCall(r)
	case PoisonMicroblockID:
		return readPoisonMicroblock(r)
	case CoinbaseID:
		return readCoinbase(r)
	case CoinbaseToAltID:
		return readCoinbaseToAltRecipient(r)
	case VersionedContractID:
		return readVersionedSmartContract(r)
	case TenureChangeID:
		return readTenureChange(r)
	case NakamotoCoinbaseID:
		return readNakamotoCoinbase(r)
	}
	r.off = start
	return &Undecoded{Part: UnknownPayload, Raw: r.take(r.left(), "payload")}
}
