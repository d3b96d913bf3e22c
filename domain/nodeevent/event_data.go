package nodeevent

import (
	"encoding/json"
	"math/big"
)

// Types of events that nodes emit: the values of Event.Type.
const (
	TypeSTXTransfer = "stx_transfer_event"
	TypeSTXMint     = "stx_mint_event"
	TypeSTXBurn     = "stx_burn_event"
	TypeSTXLock     = "stx_lock_event"
	TypeFTTransfer  = "ft_transfer_event"
	TypeFTMint      = "ft_mint_event"
	TypeFTBurn      = "ft_burn_event"
	TypeNFTTransfer = "nft_transfer_event"
	TypeNFTMint     = "nft_mint_event"
	TypeNFTBurn     = "nft_burn_event"
	TypeContract    = "contract_event"
)

// EventData is one of *STXTransfer, *STXMint, *STXBurn, *STXLock, *FTTransfer, *FTMint, *FTBurn, *NFTTransfer,
// *NFTMint, *NFTBurn, *ContractEvent and *UnknownEvent. All their fields are required unless their comment says
// otherwise. Amounts are never nil, and lie between 0 and 2^128-1.
type EventData interface{ eventData() }

func (*STXTransfer) eventData()   {}
func (*STXMint) eventData()       {}
func (*STXBurn) eventData()       {}
func (*STXLock) eventData()       {}
func (*FTTransfer) eventData()    {}
func (*FTMint) eventData()        {}
func (*FTBurn) eventData()        {}
func (*NFTTransfer) eventData()   {}
func (*NFTMint) eventData()       {}
func (*NFTBurn) eventData()       {}
func (*ContractEvent) eventData() {}
func (*UnknownEvent) eventData()  {}

// STXTransfer moves micro-STX.
type STXTransfer struct {
	Sender, Recipient string
	Amount            *big.Int
	// Memo is nil before release 2.1, empty for a contract's transfer without a memo, and 34 zero-padded bytes for a
	// token transfer transaction.
	Memo []byte
}

// STXMint creates micro-STX: genesis allocations, vesting, SIP-031. Coinbases have no events.
type STXMint struct {
	Recipient string
	Amount    *big.Int
}

// STXBurn destroys micro-STX.
type STXBurn struct {
	Sender string
	Amount *big.Int
}

// STXLock is the state of an account's lock after an operation, not the change.
type STXLock struct {
	Address      string
	Amount       *big.Int // micro-STX locked in total
	UnlockHeight uint64   // Bitcoin height
	Contract     string   // the pox contract; empty before release 2.1, when only the first one existed
}

// FTTransfer moves units of a fungible token.
type FTTransfer struct {
	Asset, Sender, Recipient string // Asset has the form ADDR.contract::name
	Amount                   *big.Int
}

// FTMint creates units of a fungible token.
type FTMint struct {
	Asset, Recipient string
	Amount           *big.Int
}

// FTBurn destroys units of a fungible token.
type FTBurn struct {
	Asset, Sender string
	Amount        *big.Int
}

// NFTTransfer gives a non-fungible token to another owner.
type NFTTransfer struct {
	Asset, Sender, Recipient string
	RawValue                 []byte // consensus bytes of the token's id
}

// NFTMint creates a non-fungible token.
type NFTMint struct {
	Asset, Recipient string
	RawValue         []byte // consensus bytes of the token's id
}

// NFTBurn destroys a non-fungible token.
type NFTBurn struct {
	Asset, Sender string
	RawValue      []byte // consensus bytes of the token's id
}

// ContractEvent is a value that a contract printed.
type ContractEvent struct {
	Contract string
	Topic    string // "print" in practice; empty when missing
	RawValue []byte // consensus bytes of a Clarity value
}

// UnknownEvent is an event of an unknown type.
type UnknownEvent struct {
	Raw json.RawMessage // the member named like the type; nil if there is none
}

func isKnownType(kind string) bool {
	_, ok := eventTypes[kind]
	return ok
}

// eventType says which fields an event of a type must have, and makes the event's data from them.
type eventType struct {
	name  string
	needs fieldSet
	make  func(*eventFields) EventData
}

var eventTypes = map[string]eventType{}

func init() {
	for _, t := range knownTypes {
		eventTypes[t.name] = t
	}
}

var knownTypes = []eventType{
	{TypeSTXTransfer, hasSender | hasRecipient | hasAmount, func(f *eventFields) EventData {
		return &STXTransfer{f.sender, f.recipient, f.amount, f.memo}
	}},
	{TypeSTXMint, hasRecipient | hasAmount, func(f *eventFields) EventData {
		return &STXMint{f.recipient, f.amount}
	}},
	{TypeSTXBurn, hasSender | hasAmount, func(f *eventFields) EventData {
		return &STXBurn{f.sender, f.amount}
	}},
	{TypeSTXLock, hasLockedAddress | hasLockedAmount | hasUnlockHeight, func(f *eventFields) EventData {
		return &STXLock{f.lockedAddress, f.lockedAmount, f.unlockHeight, f.contract}
	}},
	{TypeFTTransfer, hasAsset | hasSender | hasRecipient | hasAmount, func(f *eventFields) EventData {
		return &FTTransfer{f.asset, f.sender, f.recipient, f.amount}
	}},
	{TypeFTMint, hasAsset | hasRecipient | hasAmount, func(f *eventFields) EventData {
		return &FTMint{f.asset, f.recipient, f.amount}
	}},
	{TypeFTBurn, hasAsset | hasSender | hasAmount, func(f *eventFields) EventData {
		return &FTBurn{f.asset, f.sender, f.amount}
	}},
	{TypeNFTTransfer, hasAsset | hasSender | hasRecipient | hasRawValue, func(f *eventFields) EventData {
		return &NFTTransfer{f.asset, f.sender, f.recipient, f.rawValue}
	}},
	{TypeNFTMint, hasAsset | hasRecipient | hasRawValue, func(f *eventFields) EventData {
		return &NFTMint{f.asset, f.recipient, f.rawValue}
	}},
	{TypeNFTBurn, hasAsset | hasSender | hasRawValue, func(f *eventFields) EventData {
		return &NFTBurn{f.asset, f.sender, f.rawValue}
	}},
	{TypeContract, hasContract | hasRawValue, func(f *eventFields) EventData {
		return &ContractEvent{f.contract, f.topic, f.rawValue}
	}},
}

// eventFields is the union of the fields of all types. A field means the same in each type.
type eventFields struct {
	has                            fieldSet
	asset, sender, recipient       string
	lockedAddress, contract, topic string
	amount, lockedAmount           *big.Int
	unlockHeight                   uint64
	memo, rawValue                 []byte
}

type fieldSet uint16

const (
	hasAsset fieldSet = 1 << iota
	hasSender
	hasRecipient
	hasAmount
	hasRawValue
	hasContract
	hasLockedAddress
	hasLockedAmount
	hasUnlockHeight
)

// requiredFields has the JSON member of each bit of a fieldSet, from the lowest bit.
var requiredFields = [...]struct{ name, want string }{
	{"asset_identifier", "a string"},
	{"sender", "a string"},
	{"recipient", "a string"},
	{"amount", "a whole number"},
	{"raw_value", "a hex string"},
	{"contract_identifier", "a string"},
	{"locked_address", "a string"},
	{"locked_amount", "a whole number"},
	{"unlock_height", "a whole number"},
}

// eventData reads the data of an event from a member that is named like a known type. For other names it reads nothing
// and reports false.
func (c *cursor) eventData(kind []byte) (data typedData, known bool) {
	t, known := eventTypes[string(kind)]
	if !known {
		return typedData{}, false
	}
	data.kind = t.name
	f := &c.fields
	*f = eventFields{}
	if !c.Object(func(name []byte) { c.eventField(name, f) }) {
		return data, true
	}
	if missing := t.needs &^ f.has; missing != 0 {
		for i, r := range requiredFields {
			c.Need(missing&(1<<i) == 0, r.name, r.want)
		}
		return data, true
	}
	data.data = t.make(f)
	return data, true
}

func (c *cursor) eventField(name []byte, f *eventFields) {
	var bit fieldSet
	present := false
	switch string(name) {
	case "asset_identifier":
		bit, present = hasAsset, c.Name(&f.asset)
	case "sender":
		bit, present = hasSender, c.Name(&f.sender)
	case "recipient":
		bit, present = hasRecipient, c.Name(&f.recipient)
	case "amount":
		bit, present = hasAmount, c.amount(&f.amount)
	case "raw_value":
		f.rawValue = c.Hex()
		bit, present = hasRawValue, f.rawValue != nil
	case "contract_identifier":
		bit, present = hasContract, c.Name(&f.contract)
	case "topic":
		c.Name(&f.topic)
	case "memo":
		f.memo = c.Hex()
	case "locked_address":
		bit, present = hasLockedAddress, c.Name(&f.lockedAddress)
	case "locked_amount":
		bit, present = hasLockedAmount, c.amount(&f.lockedAmount)
	case "unlock_height":
		bit, present = hasUnlockHeight, c.Read(&f.unlockHeight)
	case "value": // repeats raw_value in a verbose form
		c.Skip()
	default:
		c.unknown(name)
	}
	f.has &^= bit
	if present {
		f.has |= bit
	}
}
