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

// payloadNames has the type and the name of a payload, by its id.
var payloadNames = [...]struct{ txType, name string }{
	TokenTransferID:     {"token_transfer", "token_transfer"},
	SmartContractID:     {"smart_contract", "smart_contract"},
	ContractCallID:      {"contract_call", "contract_call"},
	PoisonMicroblockID:  {"poison_microblock", "poison_microblock"},
	CoinbaseID:          {"coinbase", "coinbase"},
	CoinbaseToAltID:     {"coinbase", "coinbase_to_alt_recipient"},
	VersionedContractID: {"smart_contract", "versioned_smart_contract"},
	TenureChangeID:      {"tenure_change", "tenure_change"},
	NakamotoCoinbaseID:  {"coinbase", "nakamoto_coinbase"},
}

// TxType returns the tx_type of a payload that existing APIs show. Several types of payloads share one.
func TxType(p Payload) string {
	if _, ok := p.(*Undecoded); ok { // whatever its id
		return undecoded
	}
	return p.ID().TxType()
}

// TxType returns the tx_type of the payloads with a known id.
func (id PayloadID) TxType() string { return payloadNames[id].txType }

// Name returns a name that, unlike TxType, differs between all types of payloads.
func Name(p Payload) string {
	if _, ok := p.(*Undecoded); ok {
		return undecoded
	}
	return payloadNames[p.ID()].name
}

// undecoded is the name of an *Undecoded.
const undecoded = "undecoded"

// Payload is what a transaction does: one of the pointer types *TokenTransfer, *SmartContract, *ContractCall,
// *PoisonMicroblock, *Coinbase, *CoinbaseToAltRecipient, *VersionedSmartContract, *TenureChange, *NakamotoCoinbase
// and *Undecoded.
type Payload interface {
	// ID returns the first byte of the payload.
	ID() PayloadID

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
