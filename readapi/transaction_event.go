package readapi

import (
	"cmp"
	"strata/domain/hash"
)

// Types of events in versions 1 and 2 of the API.
const (
	eventLog  = "smart_contract_log"
	eventLock = "stx_lock"
	eventSTX  = "stx_asset"
	eventFT   = "fungible_token_asset"
	eventNFT  = "non_fungible_token_asset"
)

// eventKind is how one type of events of nodes is shown.
type eventKind struct {
	shown  string // the type in versions 1 and 2
	latest string // the type in version 3
	action string // transfer, mint or burn of an asset
}

// eventKinds are the types of events of nodes.
var eventKinds = map[string]eventKind{
	"contract_event":     {eventLog, "contract_log", ""},
	"stx_lock_event":     {eventLock, "stx_lock", ""},
	"stx_transfer_event": {eventSTX, "stx_asset", "transfer"},
	"stx_mint_event":     {eventSTX, "stx_asset", "mint"},
	"stx_burn_event":     {eventSTX, "stx_asset", "burn"},
	"ft_transfer_event":  {eventFT, "ft_asset", "transfer"},
	"ft_mint_event":      {eventFT, "ft_asset", "mint"},
	"ft_burn_event":      {eventFT, "ft_asset", "burn"},
	"nft_transfer_event": {eventNFT, "nft_asset", "transfer"},
	"nft_mint_event":     {eventNFT, "nft_asset", "mint"},
	"nft_burn_event":     {eventNFT, "nft_asset", "burn"},
}

// eventBody is an event of a transaction in versions 1 and 2 of the API: event_type names the member that says more.
type eventBody struct {
	EventIndex   int32       `json:"event_index" doc:"Among the events of its transaction, from 0 on without gaps."`
	EventType    string      `json:"event_type" enum:"smart_contract_log,stx_lock,stx_asset,fungible_token_asset,non_fungible_token_asset"`
	TxID         hash.Hash32 `json:"tx_id"`
	ContractLog  *eventsLog  `json:"contract_log,omitempty" doc:"Of smart_contract_log."`
	STXLockEvent *eventsLock `json:"stx_lock_event,omitempty" doc:"Of stx_lock."`
	Asset        *eventAsset `json:"asset,omitempty" doc:"Of the others."`

	row    eventRow
	number int64 // in the list of an account that it was read from; 0 for none
	// printed says that the list is that of what a contract prints.
	printed bool
}

// eventsLog is what a contract printed.
type eventsLog struct {
	ContractID string       `json:"contract_id"`
	Topic      string       `json:"topic" example:"print"`
	Value      clarityValue `json:"value"`
}

// eventsLock is a lock of STX: the whole amount that is locked then, and until when.
type eventsLock struct {
	LockedAmount  amount `json:"locked_amount" doc:"µSTX"`
	UnlockHeight  int64  `json:"unlock_height" doc:"Of the Bitcoin block at which the lock ends."`
	LockedAddress string `json:"locked_address"`
}

// eventAsset is a transfer, mint or burn.
type eventAsset struct {
	AssetEventType string        `json:"asset_event_type" enum:"transfer,mint,burn"`
	AssetID        string        `json:"asset_id,omitempty" doc:"<contract>::<name> of a token; absent for STX."`
	Sender         string        `json:"sender" doc:"Empty for a mint."`
	Recipient      string        `json:"recipient" doc:"Empty for a burn."`
	Amount         amount        `json:"amount,omitempty" doc:"In base units; absent for non-fungible tokens."`
	Value          *clarityValue `json:"value,omitempty" doc:"Which non-fungible token."`
	Memo           hexText       `json:"memo,omitempty" doc:"Of a transfer of STX that has one."`
}

func renderEvent(e eventRow, id hash.Hash32) eventBody {
	kind := eventKinds[e.kind]
	b := eventBody{EventIndex: e.number, EventType: cmp.Or(kind.shown, e.kind), TxID: id, row: e}
	switch kind.shown {
	case eventLog:
		b.ContractLog = &eventsLog{valueOf(e.contract), valueOf(e.topic), showRaw(e.value)}
	case eventLock:
		b.STXLockEvent = &eventsLock{amountOf(e.amount), valueOf(e.unlockHeight), valueOf(e.sender)}
	case eventSTX, eventFT:
		b.Asset = &eventAsset{AssetEventType: kind.action, AssetID: valueOf(e.asset), Sender: valueOf(e.sender), Recipient: valueOf(e.recipient), Amount: amountOf(e.amount)}
		if len(e.memo) > 0 {
			b.Asset.Memo = hexOf(e.memo)
		}
	case eventNFT:
		value := showRaw(e.value)
		b.Asset = &eventAsset{AssetEventType: kind.action, AssetID: valueOf(e.asset), Sender: valueOf(e.sender), Recipient: valueOf(e.recipient), Value: &value}
	}
	return b
}

func renderEvents(events []eventRow, id hash.Hash32) []eventBody {
	shown := make([]eventBody, len(events))
	for i, e := range events {
		shown[i] = renderEvent(e, id)
	}
	return shown
}

func amountOf(decimal *string) amount {
	if decimal == nil {
		return "0"
	}
	return amount(*decimal)
}
