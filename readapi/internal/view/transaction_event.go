package view

import (
	"cmp"

	"strata/domain/hash"
	"strata/readapi/internal/schema"
)

// Types of events in versions 1 and 2 of the API.
const (
	EventLog  = "smart_contract_log"
	EventLock = "stx_lock"
	EventSTX  = "stx_asset"
	EventFT   = "fungible_token_asset"
	EventNFT  = "non_fungible_token_asset"
)

// eventKind says how the API shows one type of a node's events.
type eventKind struct {
	Shown  string // the type in versions 1 and 2
	Latest string // the type in version 3
	Action string // transfer, mint or burn of an asset
}

// EventKinds maps the event types of nodes to how the API shows them.
var EventKinds = map[string]eventKind{
	"contract_event":     {EventLog, "contract_log", ""},
	"stx_lock_event":     {EventLock, "stx_lock", ""},
	"stx_transfer_event": {EventSTX, "stx_asset", "transfer"},
	"stx_mint_event":     {EventSTX, "stx_asset", "mint"},
	"stx_burn_event":     {EventSTX, "stx_asset", "burn"},
	"ft_transfer_event":  {EventFT, "ft_asset", "transfer"},
	"ft_mint_event":      {EventFT, "ft_asset", "mint"},
	"ft_burn_event":      {EventFT, "ft_asset", "burn"},
	"nft_transfer_event": {EventNFT, "nft_asset", "transfer"},
	"nft_mint_event":     {EventNFT, "nft_asset", "mint"},
	"nft_burn_event":     {EventNFT, "nft_asset", "burn"},
}

// EventBody is an event of a transaction in versions 1 and 2 of the API. EventType names the member that holds the
// details.
type EventBody struct {
	EventIndex   int32       `json:"event_index" doc:"The index among the events of the transaction, from 0 without gaps."`
	EventType    string      `json:"event_type" enum:"smart_contract_log,stx_lock,stx_asset,fungible_token_asset,non_fungible_token_asset"`
	TxID         hash.Hash32 `json:"tx_id"`
	ContractLog  *EventsLog  `json:"contract_log,omitempty" doc:"Of smart_contract_log."`
	STXLockEvent *eventsLock `json:"stx_lock_event,omitempty" doc:"Of stx_lock."`
	Asset        *eventAsset `json:"asset,omitempty" doc:"Of the others."`
}

// EventsLog is what a contract printed.
type EventsLog struct {
	ContractID string       `json:"contract_id"`
	Topic      string       `json:"topic" example:"print"`
	Value      ClarityValue `json:"value"`
}

// eventsLock is a lock of STX: the total amount that is locked after it, and until when.
type eventsLock struct {
	LockedAmount  schema.Amount `json:"locked_amount" doc:"µSTX"`
	UnlockHeight  int64         `json:"unlock_height" doc:"The height of the Bitcoin block at which the lock ends."`
	LockedAddress string        `json:"locked_address"`
}

// eventAsset is a transfer, mint or burn of an asset.
type eventAsset struct {
	AssetEventType string        `json:"asset_event_type" enum:"transfer,mint,burn"`
	AssetID        string        `json:"asset_id,omitempty" doc:"<contract>::<name> of a token; absent for STX."`
	Sender         string        `json:"sender" doc:"Empty for a mint."`
	Recipient      string        `json:"recipient" doc:"Empty for a burn."`
	Amount         schema.Amount `json:"amount,omitempty" doc:"In base units; absent for non-fungible tokens."`
	Value          *ClarityValue `json:"value,omitempty" doc:"Which non-fungible token."`
	Memo           HexText       `json:"memo,omitempty" doc:"Of a transfer of STX that has one."`
}

// RenderEvent returns the body of an event of the transaction with the given id.
func RenderEvent(e EventRow, id hash.Hash32) EventBody {
	kind := EventKinds[e.Kind]
	b := EventBody{EventIndex: e.Number, EventType: cmp.Or(kind.Shown, e.Kind), TxID: id}
	switch kind.Shown {
	case EventLog:
		b.ContractLog = &EventsLog{ValueOf(e.Contract), ValueOf(e.Topic), ShowRaw(e.Value)}
	case EventLock:
		b.STXLockEvent = &eventsLock{AmountOf(e.Amount), ValueOf(e.UnlockHeight), ValueOf(e.Sender)}
	case EventSTX, EventFT:
		b.Asset = &eventAsset{AssetEventType: kind.Action, AssetID: ValueOf(e.Asset), Sender: ValueOf(e.Sender), Recipient: ValueOf(e.Recipient), Amount: AmountOf(e.Amount)}
		if len(e.Memo) > 0 {
			b.Asset.Memo = HexOf(e.Memo)
		}
	case EventNFT:
		value := ShowRaw(e.Value)
		b.Asset = &eventAsset{AssetEventType: kind.Action, AssetID: ValueOf(e.Asset), Sender: ValueOf(e.Sender), Recipient: ValueOf(e.Recipient), Value: &value}
	}
	return b
}

// RenderEvents returns the bodies of events of the transaction with the given id.
func RenderEvents(events []EventRow, id hash.Hash32) []EventBody {
	shown := make([]EventBody, len(events))
	for i, e := range events {
		shown[i] = RenderEvent(e, id)
	}
	return shown
}

// AmountOf returns the amount that a column holds, or 0 for null.
func AmountOf(decimal *string) schema.Amount {
	if decimal == nil {
		return "0"
	}
	return schema.Amount(*decimal)
}
