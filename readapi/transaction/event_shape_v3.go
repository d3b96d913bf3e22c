package transaction

import (
	"cmp"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// eventV3 is an event of a transaction in version 3 of the API. Type names the member that holds the details.
type eventV3 struct {
	EventIndex  int32           `json:"event_index" doc:"The index among the events of the transaction, from 0 without gaps."`
	Type        string          `json:"type" enum:"contract_log,stx_lock,stx_asset,ft_asset,nft_asset"`
	ContractLog *view.EventsLog `json:"contract_log,omitempty"`
	STXLock     *lockV3         `json:"stx_lock,omitempty"`
	STXAsset    *stxAssetV3     `json:"stx_asset,omitempty"`
	FTAsset     *ftAssetV3      `json:"ft_asset,omitempty"`
	NFTAsset    *nftAssetV3     `json:"nft_asset,omitempty"`
}

type lockV3 struct {
	Amount              schema.Amount `json:"amount" doc:"The total amount in µSTX that is locked after the event."`
	UnlockBitcoinHeight int64         `json:"unlock_bitcoin_height"`
	Address             string        `json:"address"`
}

// AssetV3 is what happened to an asset, and the two parties.
type AssetV3 struct {
	Type      string `json:"type" enum:"transfer,mint,burn"`
	Sender    string `json:"sender,omitempty" doc:"Absent for a mint."`
	Recipient string `json:"recipient,omitempty" doc:"Absent for a burn."`
}

type stxAssetV3 struct {
	AssetV3
	Amount schema.Amount   `json:"amount" doc:"µSTX"`
	Memo   **view.MemoText `json:"memo,omitempty" doc:"Present for a transfer; null when it has no memo."` // absent, null, or a memo: hence two pointers
}

// TransformSchema implements huma.SchemaTransformer.
func (*stxAssetV3) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "memo")
}

type ftAssetV3 struct {
	AssetV3
	AssetIdentifier string        `json:"asset_identifier" doc:"<contract>::<name>"`
	Amount          schema.Amount `json:"amount" doc:"In base units."`
}

type nftAssetV3 struct {
	AssetV3
	AssetIdentifier string            `json:"asset_identifier" doc:"<contract>::<name>"`
	Value           view.ClarityValue `json:"value" doc:"Which token."`
}

func renderEventV3(e view.EventRow) eventV3 {
	kind := view.EventKinds[e.Kind]
	b := eventV3{EventIndex: e.Number, Type: cmp.Or(kind.Latest, e.Kind)}
	asset := AssetV3{Type: kind.Action, Sender: view.ValueOf(e.Sender), Recipient: view.ValueOf(e.Recipient)}
	switch kind.Shown {
	case view.EventLog:
		b.ContractLog = &view.EventsLog{ContractID: view.ValueOf(e.Contract), Topic: view.ValueOf(e.Topic), Value: view.ShowRaw(e.Value)}
	case view.EventLock:
		b.STXLock = &lockV3{view.AmountOf(e.Amount), view.ValueOf(e.UnlockHeight), view.ValueOf(e.Sender)}
	case view.EventSTX:
		b.STXAsset = &stxAssetV3{AssetV3: asset, Amount: view.AmountOf(e.Amount)}
		if kind.Action == "transfer" {
			var memo *view.MemoText
			if len(e.Memo) > 0 {
				memo = view.ShowMemo(e.Memo)
			}
			b.STXAsset.Memo = &memo
		}
	case view.EventFT:
		b.FTAsset = &ftAssetV3{asset, view.ValueOf(e.Asset), view.AmountOf(e.Amount)}
	case view.EventNFT:
		b.NFTAsset = &nftAssetV3{asset, view.ValueOf(e.Asset), view.ShowRaw(e.Value)}
	}
	return b
}
