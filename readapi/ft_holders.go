package readapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
)

const holdersLimit = 100

// assetName names an asset in a request. Any text is taken: nobody has what does not exist.
type assetName string

// Schema implements huma.SchemaProvider.
func (assetName) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "stx, or a token: <contract>::<name>", Examples: []any{"stx"}}
}

type holdersInput struct {
	Token  assetName `path:"token"`
	Limit  int       `query:"limit" minimum:"0" maximum:"200" default:"100" doc:"Rows of a page; 0 means the default."`
	Offset int64     `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the first. All of them are passed over: a cursor leads there at once."`
	Cursor string    `query:"cursor" pattern:"^[0-9]{1,48}:[0-9A-Za-z._-]{1,200}$" doc:"The page after another one: cursor.next of that one."`
}

// holderPage is a page of those who have an asset.
type holderPage struct {
	Limit       int       `json:"limit"`
	Offset      int64     `json:"offset"`
	Total       int64     `json:"total" doc:"How many have some."`
	Results     []holder  `json:"results" nullable:"false"`
	TotalSupply amount    `json:"total_supply" doc:"How much there is, in base units."`
	Cursor      keyCursor `json:"cursor"`

	asset *suppliedAsset
}

type holder struct {
	Address string `json:"address"`
	Balance amount `json:"balance" doc:"In base units."`
}

func (a *API) registerHolders() {
	get(a.Engine, resource{
		id: "list-token-holders", path: "/extended/v1/tokens/ft/{token}/holders", tag: "Tokens", summary: "Who has STX or a fungible token",
		about:    "By what they have, the most first; of those with the same the one whose address is least. Who has none is no holder.",
		statuses: []int{http.StatusBadRequest}, class: answer.Tip, of: onTip("balances"),
	}, listHolders)
	traced(a.Engine, "list-token-holders", func(_ context.Context, _ *snapshot, in *holdersInput, page *holderPage) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		accounts := make([]string, len(page.Results))
		for i := range page.Results {
			accounts[i] = page.Results[i].Address
		}
		return append(page.asset.lookups(), lookup{
			name: "holding", table: tracedHolding, where: `t.account = ANY ($1::text[]) AND t.asset = $2::text`, args: []any{accounts, string(in.Token)},
			order: `t.balance DESC, t.account`,
		}), nil
	})
}

// listHolders reads who comes from the cursor on: those with as much who come later, then those with less. What is passed
// over needs nothing but the index.
func listHolders(ctx context.Context, s *snapshot, in *holdersInput) (*holderPage, error) {
	page := &holderPage{Limit: orDefault(in.Limit, holdersLimit), Offset: in.Offset, Results: []holder{}, TotalSupply: "0"}
	tip, ok := s.tip("balances")
	if !ok {
		return page, nil
	}
	from := `SELECT balance, account FROM {balances}.holding WHERE asset = $1 AND balance > 0`
	const order = ` ORDER BY balance DESC, account`
	args := []any{string(in.Token), min(in.Offset, offsetMost), int64(page.Limit) + 1}
	rows := from + order + ` OFFSET $2::bigint LIMIT $3::bigint`
	if balance, account, ok := strings.Cut(in.Cursor, ":"); ok {
		args = append(args, balance, account)
		rows = `SELECT * FROM (
			(` + from + ` AND balance = $4::text::numeric AND account >= $5::text ORDER BY account LIMIT $2::bigint + $3::bigint)
			UNION ALL
			(` + from + ` AND balance < $4::text::numeric` + order + ` LIMIT $2::bigint + $3::bigint)
		) after` + order + ` OFFSET $2::bigint LIMIT $3::bigint`
	}
	b := s.batch()
	asset := query(b, supplyColumns, supplySQL, string(in.Token), *tip.Height)
	holders := queryPage(b, page.Limit, func(h *holder) []any { return []any{&h.Address, &h.Balance} }, `
		SELECT r.sources, r.account, r.balance::text
		FROM (`+rows+`) p
		CROSS JOIN LATERAL (
			SELECT ARRAY[h.source_seq] AS sources, h.account, h.balance FROM {balances}.holding h WHERE h.account = p.account AND h.asset = $1 LIMIT 1
		) r ORDER BY p.balance DESC, p.account`, args...)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	if found, ok := asset.first(); ok {
		page.asset, page.Total, page.TotalSupply = &found, found.holders, amount(found.supply)
	}
	shown := newKeyPage(page.Limit, holders.rows, func(h holder) string { return string(h.Balance) + ":" + h.Address })
	page.Cursor, page.Results = shown.Cursor, shown.Results
	return page, nil
}
