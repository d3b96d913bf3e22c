package balance

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

const holdersLimit = 100

// assetName is the name of an asset in a path. Any text is valid: an asset that does not exist has no holders.
type assetName string

// Schema implements huma.SchemaProvider.
func (assetName) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "stx, or the asset identifier of a token: <contract>::<name>", Examples: []any{"stx"}}
}

type holdersInput struct {
	Token  assetName `path:"token"`
	Limit  int       `query:"limit" minimum:"0" maximum:"200" default:"100" doc:"Page size; 0 means the default."`
	Offset int64     `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip, counted from the cursor or from the first row. The server reads every skipped row: prefer a cursor."`
	Cursor string    `query:"cursor" pattern:"^[0-9]{1,48}:[0-9A-Za-z._~-]{1,200}$" doc:"cursor.next of another page: opens the page that follows it."`
}

// holderPage is a page of the holders of an asset.
type holderPage struct {
	Limit       int            `json:"limit"`
	Offset      int64          `json:"offset"`
	Total       int64          `json:"total" doc:"Number of holders."`
	Results     []holder       `json:"results" nullable:"false"`
	TotalSupply schema.Amount  `json:"total_supply" doc:"In base units."`
	Cursor      page.KeyCursor `json:"cursor"`
}

type holder struct {
	Address string        `json:"address"`
	Balance schema.Amount `json:"balance" doc:"In base units."`
}

func (a *api) registerHolders() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-token-holders", Path: "/extended/v1/tokens/ft/{token}/holders", Tag: "Tokens", Summary: "Holders of STX or a fungible token",
		Description: "Sorted by balance, greatest first, then by address. Accounts with a balance of zero are not holders.",
		Statuses:    []int{http.StatusBadRequest},
	}, listHolders)
}

// listHolders lists the holders of STX or of a token.
func listHolders(ctx context.Context, s *engine.Snapshot, in *holdersInput) (*holderPage, error) {
	list := &holderPage{Limit: page.LimitOr(in.Limit, holdersLimit), Offset: in.Offset, Results: []holder{}, TotalSupply: "0"}
	tip, ok := s.Tip("balances")
	if !ok {
		return list, nil
	}
	of, err := readHolders(ctx, s, *tip.Height, string(in.Token), "", list.Limit, in.Offset, in.Cursor)
	if err != nil {
		return nil, err
	}
	list.Total, list.TotalSupply, list.Cursor, list.Results = of.total, of.supply, of.page.Cursor, of.page.Results
	return list, nil
}

// assetHolders is a page of the holders of an asset, with the number of all of them and the supply.
type assetHolders struct {
	page   *page.KeyPage[holder]
	total  int64
	supply schema.Amount
}

// readHolders reads the holders of an asset from the cursor on: first those with the same balance and an address not
// below the cursor's, then those with less. Skipped rows are read from the index alone. An asset that is not of the given
// kind, unless that is empty, has no holders.
func readHolders(ctx context.Context, s *engine.Snapshot, height int64, asset, kind string, limit int, offset int64, cursor string) (*assetHolders, error) {
	of := `SELECT balance, account FROM {balances}.holding WHERE asset = ` + assetOfKind + ` AND balance > 0`
	const order = ` ORDER BY balance DESC, account`
	args := []any{asset, kind, min(offset, page.OffsetMax), int64(limit) + 1}
	rows := of + order + ` OFFSET $3::bigint LIMIT $4::bigint`
	if balance, account, ok := strings.Cut(cursor, ":"); ok {
		account, err := fullHolder(ctx, s, asset, balance, account)
		if err != nil {
			return nil, err
		}
		args = append(args, balance, account)
		rows = `SELECT * FROM (
			(` + of + ` AND balance = $5::text::numeric AND account >= $6::text ORDER BY account LIMIT $3::bigint + $4::bigint)
			UNION ALL
			(` + of + ` AND balance < $5::text::numeric` + order + ` LIMIT $3::bigint + $4::bigint)
		) after` + order + ` OFFSET $3::bigint LIMIT $4::bigint`
	}
	b := s.Batch()
	state := engine.Query(b, supplyColumns, supplySQL, asset, height)
	holders := engine.QueryPage(b, limit, func(h *holder) []any { return []any{&h.Address, &h.Balance} }, `
		SELECT r.shown, r.account, r.balance::text
		FROM (`+rows+`) p
		CROSS JOIN LATERAL (
			SELECT {balances.holding h} AS shown, h.account, h.balance FROM {balances}.holding h WHERE h.account = p.account AND h.asset = $1 LIMIT 1
		) r ORDER BY p.balance DESC, p.account`, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	found := &assetHolders{supply: "0"}
	supply, ok := state.First()
	if ok && (kind == "" || kind == supply.kind) {
		found.total, found.supply = supply.holders, schema.Amount(supply.supply)
	}
	found.page = page.NewKeyPage(limit, holders.Rows, func(h holder) string { return h.cursor() })
	return found, nil
}
