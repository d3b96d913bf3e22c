package readapi

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
)

type accountEventsV2Input struct {
	AddressInput
	TransactionInput
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
}

func (in *accountEventsV2Input) Dependencies() dependencies {
	return BlockRange{}.ofAccount(string(in.Address))
}

// assetEventV2 is an event that moves something of an account.
type assetEventV2 struct {
	Type       string      `json:"type" enum:"stx,ft,nft"`
	EventIndex int32       `json:"event_index" doc:"Among the events of its transaction."`
	Data       assetMoveV2 `json:"data"`

	row    eventRow
	number int64
}

type assetMoveV2 struct {
	Type            string        `json:"type" enum:"transfer,mint,burn"`
	Amount          amount        `json:"amount,omitempty" doc:"In base units; absent for non-fungible tokens."`
	AssetIdentifier string        `json:"asset_identifier,omitempty" doc:"Absent for STX."`
	Value           *clarityValue `json:"value,omitempty" doc:"Which non-fungible token."`
	TransferParties
}

// assetNames are what version 2 and 3 of the API call kinds of assets, by the types of events.
var assetNames = map[string]string{eventSTX: "stx", eventFT: "ft", eventNFT: "nft"}

func renderMove(e *listedEvent) assetEventV2 {
	kind := eventKinds[e.kind]
	move := assetMoveV2{Type: kind.action, AssetIdentifier: valueOf(e.asset), TransferParties: TransferParties{valueOf(e.sender), valueOf(e.recipient)}}
	if kind.shown == eventNFT {
		value := showRaw(e.value)
		move.Value = &value
	} else {
		move.Amount = amountOf(e.amount)
	}
	return assetEventV2{assetNames[kind.shown], e.eventRow.number, move, e.eventRow, e.number}
}

func (a *API) registerAccountEventsV2() {
	r := resource{
		id: "list-account-transaction-events", path: "/extended/v2/addresses/{address}/transactions/{tx_id}/events", tag: "Accounts", summary: "Events of a transaction that move something of an account, the first first",
		about:    instead("/extended/v3/principals/{principal}/transactions/{tx_id}/balance-changes"),
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, deprecated: true,
	}
	get(a.Engine, r, listAccountEventsV2)
	traced(a.Engine, r.id, func(_ context.Context, _ *snapshot, in *accountEventsV2Input, page *offsetPage[assetEventV2]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		events := make([]eventBody, len(page.Results))
		for i, e := range page.Results {
			events[i] = eventBody{row: e.row, number: e.number}
		}
		return accountEventLookups(string(in.Address), events), nil
	})
}

// listAccountEventsV2 reads a range of the account's events: those of one transaction stand together in its list.
func listAccountEventsV2(ctx context.Context, s *snapshot, in *accountEventsV2Input) (*offsetPage[assetEventV2], error) {
	account, err := in.Address.account()
	if err != nil {
		return nil, err
	}
	id, err := in.ID.hash()
	if err != nil {
		return nil, err
	}
	missing := notFound("Transaction not found")
	if _, ok := s.tip("accounts"); !ok {
		return nil, missing
	}
	page := &offsetPage[assetEventV2]{Limit: orDefault(in.Limit, listLimit), Offset: in.Offset, Results: []assetEventV2{}}
	ids := [][]byte{id[:]}
	b := s.batch()
	transactions, events := accountTransactions.named("$1"), accountEvents.named("$1")
	total := query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[at.source_seq], coalesce(r.total, 0)
		FROM `+placesOf("$2")+`
		LEFT JOIN LATERAL (
			SELECT coalesce(stx_transfers, 0) + coalesce(stx_mints, 0) + coalesce(stx_burns, 0) + coalesce(ft_transfers, 0) + coalesce(ft_mints, 0)
				+ coalesce(ft_burns, 0) + coalesce(nft_transfers, 0) + coalesce(nft_mints, 0) + coalesce(nft_burns, 0) AS total
			FROM {accounts}.account_transaction r
			WHERE `+transactions.rows+` AND r.n = `+transactions.before("(at.n + 1)")+` AND r.tx = at.n LIMIT 1
		) r ON true`, account, ids)
	found := query(b, listedEventColumns, `
		SELECT `+placedEventSQL+`
		FROM `+placesOf("$2")+`
		CROSS JOIN LATERAL (SELECT `+events.before("at.n")+` AS low, `+events.before("(at.n + 1)")+` AS high OFFSET 0) bounds
		CROSS JOIN LATERAL (
			SELECT r.event_index, r.n::bigint AS number, r.tx AS place FROM {accounts}.account_event r
			WHERE `+events.rows+` AND r.n > bounds.low AND r.n <= bounds.high AND r.kind <> `+lockKind+`
			ORDER BY r.n OFFSET $3::bigint LIMIT $4::bigint
		) r `+placedEvent+`ORDER BY r.number`, account, ids, min(in.Offset, offsetMost), int64(page.Limit))
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	var known bool
	if page.Total, known = total.first(); !known {
		return nil, missing
	}
	for i := range found.rows {
		page.Results = append(page.Results, renderMove(&found.rows[i]))
	}
	return page, nil
}
