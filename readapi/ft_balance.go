package readapi

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
)

type ftBalancesInput struct {
	AccountInput
	Limit  int   `query:"limit" minimum:"0" maximum:"200" default:"100" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
}

const ftBalancesLimit = 100

// tokenBalance is what an account has of a fungible token.
type tokenBalance struct {
	Token   string `json:"token" doc:"Its asset identifier."`
	Balance amount `json:"balance" doc:"In base units."`
}

type ftBalanceInput struct {
	AccountInput
	Token string `path:"token" doc:"The asset identifier of a token."`
}

// balanceOnly is what an account has of one token.
type balanceOnly struct {
	Balance amount `json:"balance" doc:"In base units; 0 when it has none."`

	asset string
}

func (a *API) registerFTBalances() {
	const ours = " `until_block` and `unanchored` are ours; the reference ignores them here."
	list := resource{
		id: "list-ft-balances", path: "/extended/v2/addresses/{principal}/balances/ft", tag: "Accounts", summary: "Fungible tokens that an account has",
		about:    "In the order of their names. " + instead("/extended/v3/principals/{principal}/balances/ft") + ours,
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, deprecated: true,
	}
	get(a.Engine, list, listFTBalances)
	traced(a.Engine, list.id, func(ctx context.Context, s *snapshot, in *ftBalancesInput, page *offsetPage[tokenBalance]) ([]lookup, error) {
		var assets []string
		for i := 0; page != nil && i < len(page.Results); i++ {
			assets = append(assets, page.Results[i].Token)
		}
		return assetLookups(ctx, s, in, assets...)
	})
	one := resource{
		id: "get-ft-balance", path: "/extended/v2/addresses/{principal}/balances/ft/{token}", tag: "Accounts", summary: "What an account has of a fungible token",
		about:    instead("/extended/v3/principals/{principal}/balances/ft/{asset_identifier}") + ours,
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, brief: true, deprecated: true,
	}
	get(a.Engine, one, getFTBalance)
	traced(a.Engine, one.id, func(ctx context.Context, s *snapshot, in *ftBalanceInput, found *balanceOnly) ([]lookup, error) {
		if found == nil {
			return nil, nil
		}
		return assetLookups(ctx, s, in, found.asset)
	})
}

// heldAt is SQL for what an account, $1, has of all of its assets at the block of height $2, with a condition on h, what it
// holds now: one look-up for each asset. It keeps assets that the account has no more.
func heldAt(condition string) string {
	return `(
		SELECT l.source_seq, h.asset, h.kind, l.balance
		FROM {balances}.holding h
		CROSS JOIN LATERAL (
			SELECT * FROM {balances}.ledger l
			WHERE l.account = h.account AND l.asset = h.asset AND l.height <= $2
			ORDER BY l.height DESC, l.n DESC LIMIT 1
		) l
		WHERE h.account = $1 AND ` + condition + `
	) held`
}

// heldNow is as heldAt, at the tip.
func heldNow(condition string) string {
	return `(
		SELECT h.source_seq, h.asset, h.kind, h.balance FROM {balances}.holding h WHERE h.account = $1 AND $2::bigint IS NOT NULL AND ` + condition + `
	) held`
}

// held is SQL for what an account has at a moment.
func (at moment) held(condition string) string {
	if at.latest {
		return heldNow(condition)
	}
	return heldAt(condition)
}

type heldRow struct {
	total   int64
	asset   string
	balance amount
}

func heldColumns(r *heldRow) []any { return []any{&r.total, &r.asset, (*string)(&r.balance)} }

// listFTBalances sorts as many rows as the account has tokens: their order is not that of an index.
func listFTBalances(ctx context.Context, s *snapshot, in *ftBalancesInput) (*offsetPage[tokenBalance], error) {
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	page := &offsetPage[tokenBalance]{Limit: orDefault(in.Limit, ftBalancesLimit), Offset: in.Offset, Results: []tokenBalance{}}
	b := s.batch()
	found := query(b, heldColumns, `
		SELECT array_remove(ARRAY[page.source_seq], NULL), total.n, coalesce(page.asset, ''), coalesce(page.balance, 0)::text
		FROM (SELECT count(*) AS n FROM `+at.held(`h.kind = 'ft'`)+` WHERE held.balance > 0) total
		LEFT JOIN (
			SELECT held.* FROM `+at.held(`h.kind = 'ft'`)+` WHERE held.balance > 0
			ORDER BY lower(held.asset), held.asset OFFSET $3::bigint LIMIT $4::bigint
		) page ON true
		ORDER BY lower(page.asset), page.asset`, account, at.height, min(in.Offset, offsetMost), int64(page.Limit))
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	for _, r := range found.rows {
		page.Total = r.total
		if r.asset != "" { // else the page is empty
			page.Results = append(page.Results, tokenBalance{r.asset, r.balance})
		}
	}
	return page, nil
}

func getFTBalance(ctx context.Context, s *snapshot, in *ftBalanceInput) (*balanceOnly, error) {
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	balance, err := readFTBalance(ctx, s, account, in.Token, at)
	return &balanceOnly{balance, in.Token}, err
}

// readFTBalance is what an account has of a fungible token; zero when it is none, or not known.
func readFTBalance(ctx context.Context, s *snapshot, account, token string, at moment) (amount, error) {
	b := s.batch()
	found := query(b, heldColumns, `
		SELECT array_remove(ARRAY[held.source_seq], NULL), 1::bigint, $3::text, coalesce(held.balance, 0)::text
		FROM (SELECT 1) one LEFT JOIN `+at.held(`h.kind = 'ft' AND h.asset = $3`)+` ON true`, account, at.height, token)
	if err := b.runLast(ctx); err != nil {
		return "", err
	}
	r, _ := found.first()
	return r.balance, nil
}

// assetLookups are the rows behind what an account has of some assets.
func assetLookups(ctx context.Context, s *snapshot, in accountNamed, assets ...string) ([]lookup, error) {
	if len(assets) == 0 {
		return nil, nil
	}
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	var lookups []lookup
	if at.latest {
		lookups = append(lookups, lookup{
			name: "holding", table: tracedHolding, where: `t.account = $1 AND t.asset = ANY ($2)`, args: []any{account, assets}, order: `t.asset`,
		})
	}
	for _, asset := range assets {
		lookups = append(lookups, lookup{
			name: "ledger of " + asset, table: tracedLedger, where: `t.account = $1 AND t.asset = $2 AND t.height <= $3`,
			args: []any{account, asset, at.height}, newestFirst: []string{"t.n"},
		})
	}
	return lookups, nil
}
