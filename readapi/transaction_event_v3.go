package readapi

import (
	"cmp"
	"github.com/danielgtaylor/huma/v2"
)

// eventV3 is an event of a transaction in version 3 of the API: type names the member that says more.
type eventV3 struct {
	EventIndex  int32       `json:"event_index" doc:"Among the events of the transaction, from 0 on without gaps."`
	Type        string      `json:"type" enum:"contract_log,stx_lock,stx_asset,ft_asset,nft_asset"`
	ContractLog *eventsLog  `json:"contract_log,omitempty"`
	STXLock     *lockV3     `json:"stx_lock,omitempty"`
	STXAsset    *stxAssetV3 `json:"stx_asset,omitempty"`
	FTAsset     *ftAssetV3  `json:"ft_asset,omitempty"`
	NFTAsset    *nftAssetV3 `json:"nft_asset,omitempty"`

	row eventRow
}

type lockV3 struct {
	Amount              amount `json:"amount" doc:"µSTX, all that is locked then."`
	UnlockBitcoinHeight int64  `json:"unlock_bitcoin_height"`
	Address             string `json:"address"`
}

// AssetV3 is what happened to an asset, and between whom.
type AssetV3 struct {
	Type      string `json:"type" enum:"transfer,mint,burn"`
	Sender    string `json:"sender,omitempty" doc:"Absent for a mint."`
	Recipient string `json:"recipient,omitempty" doc:"Absent for a burn."`
}

type stxAssetV3 struct {
	AssetV3
	Amount amount     `json:"amount" doc:"µSTX"`
	Memo   **memoText `json:"memo,omitempty" doc:"Of a transfer; null for one without a memo."` // absent, or null, or a memo
}

// TransformSchema implements huma.SchemaTransformer.
func (*stxAssetV3) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return orNull(s, "memo")
}

type ftAssetV3 struct {
	AssetV3
	AssetIdentifier string `json:"asset_identifier" doc:"<contract>::<name>"`
	Amount          amount `json:"amount" doc:"In base units."`
}

type nftAssetV3 struct {
	AssetV3
	AssetIdentifier string       `json:"asset_identifier" doc:"<contract>::<name>"`
	Value           clarityValue `json:"value" doc:"Which token."`
}

func renderEventV3(e eventRow) eventV3 {
	kind := eventKinds[e.kind]
	b := eventV3{EventIndex: e.number, Type: cmp.Or(kind.latest, e.kind), row: e}
	asset := AssetV3{Type: kind.action, Sender: valueOf(e.sender), Recipient: valueOf(e.recipient)}
	switch kind.shown {
	case eventLog:
		b.ContractLog = &eventsLog{valueOf(e.contract), valueOf(e.topic), showRaw(e.value)}
	case eventLock:
		b.STXLock = &lockV3{amountOf(e.amount), valueOf(e.unlockHeight), valueOf(e.sender)}
	case eventSTX:
		b.STXAsset = &stxAssetV3{AssetV3: asset, Amount: amountOf(e.amount)}
		if kind.action == "transfer" {
			var memo *memoText
			if len(e.memo) > 0 {
				memo = showMemo(e.memo)
			}
			b.STXAsset.Memo = &memo
		}
	case eventFT:
		b.FTAsset = &ftAssetV3{asset, valueOf(e.asset), amountOf(e.amount)}
	case eventNFT:
		b.NFTAsset = &nftAssetV3{asset, valueOf(e.asset), showRaw(e.value)}
	}
	return b
}
