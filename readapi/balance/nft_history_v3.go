package balance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/clarity"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// nftValue names a token of a collection in a path: a whole number, or the serialised Clarity value in hex with 0x.
type nftValue string

// Schema implements huma.SchemaProvider.
func (nftValue) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "Id of the token: a whole number, which stands for an uint, or any Clarity value in its consensus serialisation, in hex with 0x.",
		Extensions: schema.Matching(`^([0-9]+|0x([0-9a-fA-F]{2})+)$`), Examples: []any{"2051"},
	}
}

// raw returns the serialised Clarity value.
func (v nftValue) raw() ([]byte, error) {
	if digits, ok := strings.CutPrefix(string(v), "0x"); ok {
		return hex.DecodeString(digits) // the pattern has been checked
	}
	const digitsMax = 39 // of 2^128 - 1
	digits := strings.TrimLeft(string(v), "0")
	if len(digits) <= digitsMax {
		n, _ := new(big.Int).SetString("0"+digits, 10)
		if value, err := clarity.NewUint(n); err == nil {
			return value.Raw(), nil
		}
	}
	return nil, engine.BadRequest("Token id is larger than the maximum Clarity uint")
}

type nftHistoryV3Input struct {
	Asset  assetParameter   `path:"asset_identifier"`
	Value  nftValue         `path:"value"`
	Limit  int              `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Rows of a page."`
	Cursor page.EventCursor `query:"cursor" pattern:"^[0-9]+:[0-9]+:[0-9]+:[0-9]+$" doc:"Where the page begins: height, microblock sequence (2147483647 for none), index in the block's list of transactions and index among the transaction's events, separated by colons. H:0:0:0 is the end of block H."`
}

// tokenEvent is an event of a non-fungible token in version 3 of the API.
type tokenEvent struct {
	Type      string  `json:"type" enum:"transfer,mint,burn" doc:"The peer has no such member."`
	Sender    *string `json:"sender" doc:"null for a mint."`
	Recipient *string `json:"recipient" doc:"null for a burn."`
	view.PlaceV3
}

func (a *api) registerNFTHistoryV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-nft-history-v3", Path: "/extended/v3/tokens/nft/{asset_identifier}/{value}/history", Tag: "Tokens",
		Summary: "Events of a non-fungible token, newest first", Statuses: []int{http.StatusBadRequest},
	}, listNFTHistoryV3)
}

const (
	// eventsOfToken is the SQL condition that selects the events c of the token with the id whose SHA-256 is $2, of collection $1.
	eventsOfToken = `c.asset = $1::text AND c.value_hash = $2::bytea`
	transactionOf = `CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = c.source_seq AND t.tx_index = c.tx_index LIMIT 1) t`
)

// historyBoundsSQL selects the length of the history of a token, and how many of its events are at or before the position $3.
var historyBoundsSQL = `
		SELECT {}, list.length, ` + page.Bisection{
	Low: `0::bigint`, High: `list.length`,
	Probe: `SELECT c.n, (c.height, coalesce(t.microblock_sequence, 2147483647), c.tx_index, c.event_index) <= ($3::bigint, $4::bigint, $5::bigint, $6::bigint) AS holds
			FROM {balances}.nft_event c ` + transactionOf + ` WHERE ` + eventsOfToken + ` AND c.n = {middle} LIMIT 1`,
}.Last() + `
		FROM (SELECT coalesce((SELECT c.n FROM {balances}.nft_event c WHERE ` + eventsOfToken + ` ORDER BY c.n DESC LIMIT 1), 0) AS length OFFSET 0) list`

// historyRow is an event of a token with its place on the chain.
type historyRow struct {
	view.PlaceRow
	n                 int64 // in the history of the token
	event             int32
	cause             string
	sender, recipient *string
}

func historyColumns(r *historyRow) []any {
	return append([]any{&r.n, &r.event, &r.cause, &r.sender, &r.recipient}, view.PlaceColumns(&r.PlaceRow)...)
}

func (r *historyRow) number() int64 { return r.n }

func (r *historyRow) cursor() string { return page.EventText(r.Height, r.Sequence, r.Index, r.event) }

func (r *historyRow) shape() tokenEvent {
	return tokenEvent{view.EventKinds[r.cause].Action, r.sender, r.recipient, r.Event(r.event)}
}

func listNFTHistoryV3(ctx context.Context, s *engine.Snapshot, in *nftHistoryV3Input) (*page.KeysetPage[tokenEvent], error) {
	value, err := in.Value.raw()
	if err != nil {
		return nil, err
	}
	if err := in.Cursor.Check(); err != nil {
		return nil, err
	}
	at := page.Descent{Limit: in.Limit}
	answer := func(rows []historyRow) (*page.KeysetPage[tokenEvent], error) {
		return page.DescendingPage(at, rows, (*historyRow).number, (*historyRow).cursor, (*historyRow).shape), nil
	}
	if !engine.Ready(s, "balances", "chain") {
		return answer(nil)
	}
	key := sha256.Sum256(value)
	height, sequence, index, event := in.Cursor.Position()
	b := s.Batch()
	found := engine.Query(b, func(d *page.Descent) []any { return []any{&d.Length, &d.Start} }, historyBoundsSQL, string(in.Asset), key[:], height, sequence, index, event)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	bounds, _ := found.First()
	at.Start, at.Length = bounds.Start, bounds.Length
	numbers := at.Numbers()
	if len(numbers) == 0 {
		return answer(nil)
	}
	b = s.Batch()
	rows := engine.QueryPart(b, func(r *historyRow) bool { return at.Shows(r.n) }, historyColumns, `
		SELECT {balances.nft_event c, chain.transaction t}, c.n, c.event_index, c.cause, c.sender, c.recipient, `+view.PlaceSQL+`
		FROM unnest($3::bigint[]) AS wanted (n)
		CROSS JOIN LATERAL (SELECT * FROM {balances}.nft_event c WHERE `+eventsOfToken+` AND c.n = wanted.n LIMIT 1) c
		`+transactionOf+`
		CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = c.source_seq LIMIT 1) b
		ORDER BY c.n DESC`, string(in.Asset), key[:], numbers)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return answer(rows.Rows)
}
