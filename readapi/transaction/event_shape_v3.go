package transaction

import (
	"cmp"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// eventV3 is an event of a transaction in version 3 of the API: type names the member that says more.
type eventV3 struct {
	EventIndex  int32           `json:"event_index" doc:"Among the events of the transaction, from 0 on without gaps."`
	Type        string          `json:"type" enum:"contract_log,stx_lock,stx_asset,ft_asset,nft_asset"`
	ContractLog *view.EventsLog `json:"contract_log,omitempty"`
	STXLock     *lockV3         `json:"stx_lock,omitempty"`
	STXAsset    *stxAssetV3     `json:"stx_asset,omitempty"`
	FTAsset     *ftAssetV3      `json:"ft_asset,omitempty"`
	NFTAsset    *nftAssetV3     `json:"nft_asset,omitempty"`

	row view.EventRow
}

type lockV3 struct {
	Amount              schema.Amount `json:"amount" doc:"µSTX, all that is locked then."`
	UnlockBitcoinHeight int64         `json:"unlock_bitcoin_height"`
	Address             string        `json:"address"`
}

// AssetV3 is what happened to an asset, and between whom.
type AssetV3 struct {
	Type      string `json:"type" enum:"transfer,mint,burn"`
	Sender    string `json:"sender,omitempty" doc:"Absent for a mint."`
	Recipient string `json:"recipient,omitempty" doc:"Absent for a burn."`
}

type stxAssetV3 struct {
	AssetV3
	Amount schema.Amount   `json:"amount" doc:"µSTX"`
	Memo   **view.MemoText `json:"memo,omitempty" doc:"Of a transfer; null for one without a memo."` // absent, or null, or a memo
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
	b := eventV3{EventIndex: e.Number, Type: cmp.Or(kind.Latest, e.Kind), row: e}
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
