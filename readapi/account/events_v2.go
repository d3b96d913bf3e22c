package account

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

type accountEventsV2Input struct {
	AddressInput
	param.TransactionInput
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Page size; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip."`
}

func (in *accountEventsV2Input) Dependencies() engine.Dependencies {
	return param.BlockRange{}.OfAccount(string(in.Address))
}

// assetEventV2 is an event that moves an asset of an account.
type assetEventV2 struct {
	Type       string      `json:"type" enum:"stx,ft,nft"`
	EventIndex int32       `json:"event_index" doc:"Index among the events of the transaction."`
	Data       assetMoveV2 `json:"data"`
}

type assetMoveV2 struct {
	Type            string             `json:"type" enum:"transfer,mint,burn"`
	Amount          schema.Amount      `json:"amount,omitempty" doc:"In base units; absent for non-fungible tokens."`
	AssetIdentifier string             `json:"asset_identifier,omitempty" doc:"Absent for STX."`
	Value           *view.ClarityValue `json:"value,omitempty" doc:"Id of the non-fungible token; absent for other assets."`
	view.TransferParties
}

// assetNames maps event types to the asset types of versions 2 and 3 of the API.
var assetNames = map[string]string{view.EventSTX: "stx", view.EventFT: "ft", view.EventNFT: "nft"}

func renderMove(e *listedEvent) assetEventV2 {
	kind := view.EventKinds[e.Kind]
	move := assetMoveV2{Type: kind.Action, AssetIdentifier: view.ValueOf(e.Asset), TransferParties: view.TransferParties{Sender: view.ValueOf(e.Sender), Recipient: view.ValueOf(e.Recipient)}}
	if kind.Shown == view.EventNFT {
		value := view.ShowRaw(e.Value)
		move.Value = &value
	} else {
		move.Amount = view.AmountOf(e.Amount)
	}
	return assetEventV2{assetNames[kind.Shown], e.Number, move}
}

func (a *api) registerAccountEventsV2() {
	r := engine.Operation{
		ID: "list-account-transaction-events", Path: "/extended/v2/addresses/{address}/transactions/{tx_id}/events", Tag: "Accounts", Summary: "Events of a transaction that move assets of an account, oldest first",
		Description: engine.Instead("/extended/v3/principals/{principal}/transactions/{tx_id}/balance-changes"),
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}
	engine.Get(a.Engine, r, listAccountEventsV2)
}

// countMovesSQL selects how many events of the transaction with the id $2 move assets of the account $1.
var countMovesSQL = `
		SELECT {chain.transaction at}, coalesce(r.total, 0)
		FROM ` + transactionPlacesSQL("$2") + `
		LEFT JOIN LATERAL (
			SELECT coalesce(stx_transfers, 0) + coalesce(stx_mints, 0) + coalesce(stx_burns, 0) + coalesce(ft_transfers, 0) + coalesce(ft_mints, 0)
				+ coalesce(ft_burns, 0) + coalesce(nft_transfers, 0) + coalesce(nft_mints, 0) + coalesce(nft_burns, 0) AS total
			FROM {accounts}.account_transaction r
			WHERE ` + memberOfPlace + `
		) r ON true`

// transactionMovesSQL selects these events, but for the first $3 at most $4.
var transactionMovesSQL = `
		SELECT r.shown || ` + placedEventSQL + `
		FROM ` + transactionPlacesSQL("$2") + `
		CROSS JOIN LATERAL ` + eventsOfPlace + `
		CROSS JOIN LATERAL (
			SELECT {accounts.account_event r} AS shown, r.event_index, r.n::bigint AS number, r.tx AS place FROM {accounts}.account_event r
			WHERE ` + isMove + `
			ORDER BY r.n OFFSET $3::bigint LIMIT $4::bigint
		) r ` + placedEventJoin + `ORDER BY r.number`

// listAccountEventsV2 reads one range of the account's list of events, in which those of a transaction are adjacent.
func listAccountEventsV2(ctx context.Context, s *engine.Snapshot, in *accountEventsV2Input) (*page.OffsetPage[assetEventV2], error) {
	account, err := in.Address.Account()
	if err != nil {
		return nil, err
	}
	id, err := in.ID.Hash()
	if err != nil {
		return nil, err
	}
	missing := engine.NotFound("Transaction not found")
	if _, ok := s.Tip("accounts"); !ok {
		return nil, missing
	}
	list := &page.OffsetPage[assetEventV2]{Limit: page.LimitOr(in.Limit, page.ListLimit), Offset: in.Offset, Results: []assetEventV2{}}
	ids := [][]byte{id[:]}
	b := s.Batch()
	total := engine.Query(b, page.NumberColumn, countMovesSQL, account, ids)
	found := engine.Query(b, listedEventColumns, transactionMovesSQL, account, ids, min(in.Offset, page.OffsetMax), int64(list.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	var known bool
	if list.Total, known = total.First(); !known {
		return nil, missing
	}
	for i := range found.Rows {
		list.Results = append(list.Results, renderMove(&found.Rows[i]))
	}
	return list, nil
}
