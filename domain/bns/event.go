package bns

// EventKind is the code of something that happened to a name or a namespace. Folds write the codes into tables; never
// change one.
type EventKind int16

// Kinds of events.
const (
	EventUndecoded        EventKind = 0 // a print with a topic or with fields that this program does not know
	EventAirdrop          EventKind = 1
	EventImport           EventKind = 2
	EventClaim            EventKind = 3 // without a preorder
	EventRegister         EventKind = 4 // with a preorder; also from a holder with a later claim
	EventTransfer         EventKind = 5
	EventBuy              EventKind = 6
	EventRenew            EventKind = 7
	EventTakeover         EventKind = 8 // renewal of a lapsed name by another, who becomes the owner
	EventBurn             EventKind = 9
	EventList             EventKind = 10
	EventUnlist           EventKind = 11
	EventUpdateZonefile   EventKind = 12
	EventRevoke           EventKind = 13
	EventSetPrimary       EventKind = 14
	EventReveal           EventKind = 20 // from here on: of a namespace
	EventLaunch           EventKind = 21
	EventTransferManager  EventKind = 22
	EventFreezeManager    EventKind = 23
	EventTurnOffTransfers EventKind = 24
	EventUpdatePrice      EventKind = 25
	EventFreezePrice      EventKind = 26
)

// eventNames are the names of kinds in answers.
var eventNames = map[EventKind]string{
	EventUndecoded: "undecoded", EventAirdrop: "airdrop", EventImport: "import", EventClaim: "claim", EventRegister: "register",
	EventTransfer: "transfer", EventBuy: "buy", EventRenew: "renew", EventTakeover: "takeover", EventBurn: "burn", EventList: "list",
	EventUnlist: "unlist", EventUpdateZonefile: "update-zonefile", EventRevoke: "revoke", EventSetPrimary: "set-primary",
	EventReveal: "reveal", EventLaunch: "launch", EventTransferManager: "transfer-manager", EventFreezeManager: "freeze-manager",
	EventTurnOffTransfers: "turn-off-manager-transfers", EventUpdatePrice: "update-price", EventFreezePrice: "freeze-price",
}

// String returns the name of the kind in answers.
func (k EventKind) String() string { return eventNames[k] }

// namespaceEvents maps the topics of prints about namespaces to kinds.
var namespaceEvents = map[string]EventKind{
	Launch: EventLaunch, TransferManager: EventTransferManager, FreezeManager: EventFreezeManager,
	TurnOffTransfers: EventTurnOffTransfers, UpdatePriceFunction: EventUpdatePrice, FreezePriceFunction: EventFreezePrice,
}

// NamespaceEvent returns the kind of a print about a namespace; EventUndecoded for another topic.
func NamespaceEvent(topic string) EventKind { return namespaceEvents[topic] }

// PreorderKind is the code of a preorder. Folds write the codes into tables; never change one.
type PreorderKind int16

// Kinds of preorders.
const (
	PreorderName      PreorderKind = 1
	PreorderNamespace PreorderKind = 2
	PreorderManaged   PreorderKind = 3 // of a name in a managed namespace; free
)

// PreorderOf returns the kind of preorder that a function makes; 0 for other functions.
func PreorderOf(function string) PreorderKind {
	switch function {
	case NamePreorder:
		return PreorderName
	case NamespacePreorder:
		return PreorderNamespace
	case ManagedPreorder:
		return PreorderManaged
	}
	return 0
}

// String returns the name of the kind in answers.
func (k PreorderKind) String() string {
	switch k {
	case PreorderName:
		return "name"
	case PreorderNamespace:
		return "namespace"
	case PreorderManaged:
		return "managed-name"
	}
	return ""
}
