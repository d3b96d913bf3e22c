package balance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"net/http"
	"strconv"
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
		Extensions: schema.Matching(`^([0-9]{1,39}|0x([0-9a-fA-F]{2})+)$`), Examples: []any{"2051"},
	}
}

// raw returns the serialised Clarity value.
func (v nftValue) raw() ([]byte, error) {
	if digits, ok := strings.CutPrefix(string(v), "0x"); ok {
		return hex.DecodeString(digits) // the pattern has been checked
	}
	n, _ := new(big.Int).SetString(string(v), 10)
	value, err := clarity.NewUint(n)
	if err != nil {
		return nil, engine.Invalid("params/value must be less than 2^128")
	}
	return value.Raw(), nil
}

type nftHistoryV3Input struct {
	Asset  assetParameter `path:"asset_identifier"`
	Value  nftValue       `path:"value"`
	Limit  int            `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Rows of a page."`
	Cursor string         `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"First event of the page: its number in the history of the token."`
}

// tokenEvent is an event of a non-fungible token in version 3 of the API.
type tokenEvent struct {
	Type      string  `json:"type" enum:"transfer,mint,burn"`
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

func listNFTHistoryV3(ctx context.Context, s *engine.Snapshot, in *nftHistoryV3Input) (*page.KeysetPage[tokenEvent], error) {
	list := &page.KeysetPage[tokenEvent]{Limit: in.Limit, Results: []tokenEvent{}}
	value, err := in.Value.raw()
	if err != nil || !engine.Ready(s, "balances", "chain") {
		return list, err
	}
	key := sha256.Sum256(value)
	rows, total, cursor, err := readNFTEvents(ctx, s, "n", `c.asset = $4::text AND c.value_hash = $5::bytea`, in.Cursor, 0, in.Limit, string(in.Asset), key[:])
	if err != nil {
		return nil, err
	}
	list.Total, list.Cursor.Current, list.Cursor.Next = total, cursor.Current, cursor.Next
	if len(rows) == 0 {
		return list, nil
	}
	if first := rows[0].place; first < total {
		previous := strconv.FormatInt(min(first+int64(in.Limit), total), 10)
		list.Cursor.Previous = &previous
	}
	keys := make([]view.RowKey, len(rows))
	for i := range rows {
		keys[i] = rows[i].RowKey
	}
	b := s.Batch()
	found := view.QueuePlaces(b, keys)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	places := view.PlacesOf(found)
	for _, r := range rows {
		list.Results = append(list.Results, tokenEvent{view.EventKinds[r.cause].Action, r.sender, r.recipient, places[r.RowKey].Event(r.event)})
	}
	return list, nil
}
