// Package activity has the codes in which the projection accounts stores what transactions and events are to accounts.
// The fold writes them into its tables, and the API reads them there.
package activity

import (
	"strata/domain/nodeevent"
)

// Involvement is the set of an account's roles in a transaction.
type Involvement int16

// Roles of an account in a transaction, and the kinds of its assets that the transaction moved.
const (
	Sender Involvement = 1 << iota
	Sponsor
	Recipient // of the token transfer, whether or not it succeeded
	Called
	Deployed
	Party // of an event that moves an asset
	AffectsSTX
	AffectsFT
	AffectsNFT
)

// Has reports whether the account has one of the roles.
func (i Involvement) Has(roles Involvement) bool { return i&roles != 0 }

// EventKind is the kind of an account's event. The first CountedKinds are counted for each transaction, in their order.
type EventKind int16

// Kinds of events.
const (
	STXTransfer EventKind = iota + 1
	STXMint
	STXBurn
	FTTransfer
	FTMint
	FTBurn
	NFTTransfer
	NFTMint
	NFTBurn
	STXLock

	CountedKinds = int(NFTBurn)
)

// Kinds maps the node's types of events to their kinds.
var Kinds = map[string]EventKind{
	nodeevent.TypeSTXTransfer: STXTransfer, nodeevent.TypeSTXMint: STXMint, nodeevent.TypeSTXBurn: STXBurn,
	nodeevent.TypeFTTransfer: FTTransfer, nodeevent.TypeFTMint: FTMint, nodeevent.TypeFTBurn: FTBurn,
	nodeevent.TypeNFTTransfer: NFTTransfer, nodeevent.TypeNFTMint: NFTMint, nodeevent.TypeNFTBurn: NFTBurn,
	nodeevent.TypeSTXLock: STXLock,
}

// Affects returns the kind of asset that the event moves or locks.
func (k EventKind) Affects() Involvement {
	switch {
	case k <= STXBurn:
		return AffectsSTX
	case k <= FTBurn:
		return AffectsFT
	default:
		return AffectsNFT
	}
}

// SendMany are the contracts (on mainnet and on testnet) that pay many recipients in one call, and print a memo after
// each payment.
var SendMany = []string{
	"SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE.send-many-memo",
	"ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo",
}

// TransferType is the way in which STX came in. Zero means that the event is in no list of inbound transfers.
type TransferType int16

// Types of inbound transfers.
const (
	BulkSend TransferType = iota + 1
	PlainTransfer
	MemoTransfer
)

// String returns the type as the API writes it.
func (t TransferType) String() string {
	switch t {
	case BulkSend:
		return "bulk-send"
	case PlainTransfer:
		return "stx-transfer"
	case MemoTransfer:
		return "stx-transfer-memo"
	}
	return ""
}
