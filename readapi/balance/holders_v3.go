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

// assetParameter is the asset identifier of a token in a path of version 3.
type assetParameter string

// assetPattern matches an asset identifier, <contract>::<name>.
const assetPattern = `^` + schema.AddressPattern + `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}::[a-zA-Z]([a-zA-Z0-9]|[-_!?+<>=/*]){0,127}$`

// Schema implements huma.SchemaProvider.
func (assetParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "Asset identifier of the token: <contract>::<name>", Extensions: schema.Matching(assetPattern),
		Examples: []any{"SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token"},
	}
}

// HoldersPage holds the page parameters of a list of holders.
type HoldersPage struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"100" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,48}:[0-9A-Za-z._~-]{1,200}$" doc:"First holder of the page, as balance:principal."`
}

type tokenHoldersInput struct {
	Asset assetParameter `path:"asset_identifier"`
	HoldersPage
}

type assetInput struct {
	Asset assetParameter `path:"asset_identifier"`
}

// nftHoldersInput names a collection and a page of its holders in version 1.
type nftHoldersInput struct {
	Asset  assetParameter `path:"asset_identifier"`
	Limit  int            `query:"limit" minimum:"0" maximum:"200" default:"100" doc:"Page size; 0 means the default."`
	Offset int64          `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip, counted from the cursor or from the first row. The server reads every skipped row: prefer a cursor."`
	Cursor string         `query:"cursor" pattern:"^[0-9]{1,48}:[0-9A-Za-z._~-]{1,200}$" doc:"cursor.next of another page: opens the page that follows it."`
}

// principalHolder is a holder of an asset in version 3 of the API.
type principalHolder struct {
	Principal string        `json:"principal"`
	Balance   schema.Amount `json:"balance" doc:"In base units."`
}

// principalCollector is an owner of tokens of a collection in version 3 of the API.
type principalCollector struct {
	Principal string        `json:"principal"`
	Count     schema.Amount `json:"count" doc:"How many tokens of the collection it owns."`
}

// collectionHolder is an owner of tokens of a collection.
type collectionHolder struct {
	Address string        `json:"address"`
	Count   schema.Amount `json:"count" doc:"How many tokens of the collection it owns."`
}

// collectionHolderPage is a page of the holders of a collection in version 1 of the API.
type collectionHolderPage struct {
	Limit       int                `json:"limit"`
	Offset      int64              `json:"offset"`
	Total       int64              `json:"total" doc:"Number of holders."`
	Results     []collectionHolder `json:"results" nullable:"false"`
	TotalSupply schema.Amount      `json:"total_supply" doc:"Number of tokens of the collection."`
	Cursor      page.KeyCursor     `json:"cursor"`
}

// tokenSupply is the supply of a fungible token.
type tokenSupply struct {
	Asset string        `json:"asset_identifier"`
	Total schema.Amount `json:"total" doc:"Minted minus burned, in base units; 0 for a token that was never minted."`
}

func (a *api) registerHoldersV3() {
	operation := func(id, path, summary, about string) engine.Operation {
		return engine.Operation{
			ID: id, Path: path, Tag: "Tokens", Summary: summary, Description: about,
			Statuses: []int{http.StatusBadRequest},
		}
	}
	const sorted = "Sorted by balance, greatest first, then by address. Accounts with a balance of zero are not holders."
	engine.Get(a.Engine, operation("list-stx-holders-v3", "/extended/v3/tokens/stx/holders", "Holders of STX", sorted),
		func(ctx context.Context, s *engine.Snapshot, in *HoldersPage) (*page.KeysetPage[principalHolder], error) {
			return listHoldersV3(ctx, s, "stx", "stx", in, principalHolderOf)
		})
	engine.Get(a.Engine, operation("list-ft-holders-v3", "/extended/v3/tokens/ft/{asset_identifier}/holders", "Holders of a fungible token", sorted),
		func(ctx context.Context, s *engine.Snapshot, in *tokenHoldersInput) (*page.KeysetPage[principalHolder], error) {
			return listHoldersV3(ctx, s, string(in.Asset), "ft", &in.HoldersPage, principalHolderOf)
		})
	const counted = "Sorted by the number of tokens that they own, greatest first, then by address. The peer has no such list."
	engine.Get(a.Engine, operation("list-nft-holders-v3", "/extended/v3/tokens/nft/{asset_identifier}/holders", "Holders of a collection of non-fungible tokens", counted),
		func(ctx context.Context, s *engine.Snapshot, in *tokenHoldersInput) (*page.KeysetPage[principalCollector], error) {
			return listHoldersV3(ctx, s, string(in.Asset), "nft", &in.HoldersPage, func(h holder) principalCollector { return principalCollector{h.Address, h.Balance} })
		})
	engine.Get(a.Engine, operation("list-nft-holders", "/extended/v1/tokens/nft/{asset_identifier}/holders", "Holders of a collection of non-fungible tokens", counted), listNFTHolders)
	engine.Get(a.Engine, operation("get-ft-supply-v3", "/extended/v3/tokens/ft/{asset_identifier}/supply", "Supply of a fungible token", ""), getTokenSupply)
}

func principalHolderOf(h holder) principalHolder { return principalHolder{h.Address, h.Balance} }

func collectionHolderOf(h holder) collectionHolder { return collectionHolder{h.Address, h.Balance} }

// assetOfKind is SQL for the asset $1 if it is of the kind $2 or $2 is empty, and otherwise null. Without it, a page of the holders of
// another kind of asset would look for one among all rows of that asset.
const assetOfKind = `(SELECT a.asset FROM {balances}.asset a WHERE a.asset = $1::text AND a.kind = coalesce(nullif($2::text, ''), a.kind) ORDER BY a.height DESC LIMIT 1)`

// holderRow is a holder with its place around the page: 0 before it, 1 on it or the first after it.
type holderRow struct {
	page int16
	holder
}

// cursor returns the cursor of a page that begins with the holder.
func (h *holder) cursor() string {
	return string(h.Balance) + ":" + page.ShortName(h.Address, page.NameSize)
}

// fullHolder returns the account of a cursor.
func fullHolder(ctx context.Context, s *engine.Snapshot, asset, balance, account string) (string, error) {
	return page.FullName(ctx, s, account, `h.account`, `{balances}.holding h WHERE h.asset = $1::text AND h.balance = $2::text::numeric AND h.balance > 0`, asset, balance)
}

// listHoldersV3 reads a page from the index of holders, and the rows of the page before it from the same index backwards.
func listHoldersV3[T any](ctx context.Context, s *engine.Snapshot, asset, kind string, in *HoldersPage, shape func(holder) T) (*page.KeysetPage[T], error) {
	list := &page.KeysetPage[T]{Limit: in.Limit, Results: []T{}}
	tip, ok := s.Tip("balances")
	if !ok {
		return list, nil
	}
	const of = ` AS page, balance, account FROM {balances}.holding WHERE asset = ` + assetOfKind + ` AND balance > 0`
	const order = ` ORDER BY balance DESC, account`
	args := []any{asset, kind, int64(in.Limit)}
	rows := `SELECT 1::smallint` + of + order + ` LIMIT $3::bigint + 1`
	if balance, account, ok := strings.Cut(in.Cursor, ":"); ok {
		account, err := fullHolder(ctx, s, asset, balance, account)
		if err != nil {
			return nil, err
		}
		args = append(args, balance, account)
		rows = `
			(SELECT * FROM (
				(SELECT 0::smallint` + of + ` AND balance = $4::text::numeric AND account < $5::text ORDER BY account DESC LIMIT $3::bigint)
				UNION ALL
				(SELECT 0::smallint` + of + ` AND balance > $4::text::numeric ORDER BY balance, account DESC LIMIT $3::bigint)
			) before ORDER BY balance, account DESC LIMIT $3::bigint)
			UNION ALL
			(SELECT * FROM (
				(SELECT 1::smallint` + of + ` AND balance = $4::text::numeric AND account >= $5::text ORDER BY account LIMIT $3::bigint + 1)
				UNION ALL
				(SELECT 1::smallint` + of + ` AND balance < $4::text::numeric` + order + ` LIMIT $3::bigint + 1)
			) after` + order + ` LIMIT $3::bigint + 1)`
	}
	b := s.Batch()
	length := engine.Query(b, supplyColumns, supplySQL, asset, *tip.Height)
	found := engine.QueryPage(b, in.Limit, func(r *holderRow) []any { return []any{&r.page, &r.Address, &r.Balance} }, `
		SELECT CASE WHEN p.page = 1 THEN r.shown END, p.page, r.account, r.balance::text
		FROM (`+rows+`) p
		CROSS JOIN LATERAL (
			SELECT {balances.holding h} AS shown, h.account, h.balance FROM {balances}.holding h WHERE h.account = p.account AND h.asset = $1 LIMIT 1
		) r ORDER BY p.page DESC, p.balance DESC, p.account`, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	supply, known := length.First()
	if known && supply.kind == kind {
		list.Total = supply.holders
	}
	for _, r := range found.Rows {
		text := r.cursor()
		switch {
		case r.page == 0 && list.Cursor.Previous == nil:
			list.Cursor.Previous = &text
		case r.page == 1 && len(list.Results) == in.Limit:
			list.Cursor.Next = &text
		case r.page == 1:
			if len(list.Results) == 0 {
				list.Cursor.Current = &text
			}
			list.Results = append(list.Results, shape(r.holder))
		}
	}
	return list, nil
}

// listNFTHolders lists the holders of a collection as listHolders does those of a fungible token.
func listNFTHolders(ctx context.Context, s *engine.Snapshot, in *nftHoldersInput) (*collectionHolderPage, error) {
	list := &collectionHolderPage{Limit: page.LimitOr(in.Limit, holdersLimit), Offset: in.Offset, Results: []collectionHolder{}, TotalSupply: "0"}
	tip, ok := s.Tip("balances")
	if !ok {
		return list, nil
	}
	of, err := readHolders(ctx, s, *tip.Height, string(in.Asset), "nft", list.Limit, in.Offset, in.Cursor)
	if err != nil {
		return nil, err
	}
	list.Total, list.TotalSupply, list.Cursor = of.total, of.supply, of.page.Cursor
	for _, h := range of.page.Results {
		list.Results = append(list.Results, collectionHolderOf(h))
	}
	return list, nil
}

func getTokenSupply(ctx context.Context, s *engine.Snapshot, in *assetInput) (*tokenSupply, error) {
	tip, ok := s.Tip("balances")
	if !ok {
		return nil, engine.ErrNoChain
	}
	b := s.Batch()
	found := engine.Query(b, supplyColumns, supplySQL, string(in.Asset), *tip.Height)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	body := &tokenSupply{string(in.Asset), "0"}
	if row, ok := found.First(); ok && row.kind == "ft" {
		body.Total = schema.Amount(row.supply)
	}
	return body, nil
}
