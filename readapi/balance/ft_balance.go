package balance

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

type ftBalancesInput struct {
	param.AccountInput
	Limit  int   `query:"limit" minimum:"0" maximum:"200" default:"100" doc:"Page size; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip."`
}

const ftBalancesLimit = 100

// tokenBalance is an account's balance of a fungible token.
type tokenBalance struct {
	Token   string        `json:"token" doc:"Asset identifier."`
	Balance schema.Amount `json:"balance" doc:"In base units."`
	schema.Negative
}

type ftBalanceInput struct {
	param.AccountInput
	Token string `path:"token" doc:"Asset identifier of the token, or stx."`
}

// balanceOnly is an account's balance of the token that the request names.
type balanceOnly struct {
	Balance schema.Amount `json:"balance" doc:"In base units; 0 when the account has none."`
	schema.Negative
}

func (a *api) registerFTBalances() {
	const ignored = " The reference ignores `until_block` and `unanchored` here."
	engine.Get(a.Engine, engine.Operation{
		ID: "list-ft-balances", Path: "/extended/v2/addresses/{principal}/balances/ft", Tag: "Accounts", Summary: "Fungible token balances of an account",
		Description: "Sorted by asset identifier, ignoring case. " + engine.Instead("/extended/v3/principals/{principal}/balances/ft") + ignored,
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}, listFTBalances)
	engine.Get(a.Engine, engine.Operation{
		ID: "get-ft-balance", Path: "/extended/v2/addresses/{principal}/balances/ft/{token}", Tag: "Accounts", Summary: "Balance of a fungible token of an account",
		Description: engine.Instead("/extended/v3/principals/{principal}/balances/ft/{asset_identifier}") + ignored,
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, PointRead: true, Deprecated: true,
	}, getFTBalance)
}

// holdingsAtHeightSQL returns SQL for a table, held, of the balances of the account $1 at the block of height $2.
// condition selects the holdings h. The query needs one lookup for each asset that the account ever had, and its result
// includes balances of zero. Traces have the ledger up to the block (see ledgerLookups), so the row is not marked as shown.
func holdingsAtHeightSQL(condition string) string {
	return `(
		SELECT ARRAY[l.source_seq] AS shown, h.asset, h.kind, l.balance
		FROM {balances}.holding h
		CROSS JOIN LATERAL (
			SELECT * FROM {balances}.entry e
			WHERE e.holding = h.id AND e.height <= $2
			ORDER BY e.height DESC, e.n DESC LIMIT 1
		) l
		WHERE h.account = $1 AND ` + condition + `
	) held`
}

// holdingsAtTipSQL is holdingsAtHeightSQL for the tip, whose height $2 it does not use.
func holdingsAtTipSQL(condition string) string {
	return `(
		SELECT {balances.holding h} AS shown, h.asset, h.kind, h.balance FROM {balances}.holding h WHERE h.account = $1 AND $2::bigint IS NOT NULL AND ` + condition + `
	) held`
}

// holdingsSQL returns SQL for a table, held, of the balances of the account $1 at a block, whose height must be $2.
func holdingsSQL(at param.Moment, condition string) string {
	if at.Latest {
		return holdingsAtTipSQL(condition)
	}
	return holdingsAtHeightSQL(condition)
}

type holdingRow struct {
	total   int64
	asset   string
	balance schema.Amount
}

func holdingColumns(r *holdingRow) []any { return []any{&r.total, &r.asset, (*string)(&r.balance)} }

// listFTBalances sorts all balances of the account, because no index has this order.
func listFTBalances(ctx context.Context, s *engine.Snapshot, in *ftBalancesInput) (*page.OffsetPage[tokenBalance], error) {
	account, at, err := in.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	list := &page.OffsetPage[tokenBalance]{Limit: page.LimitOr(in.Limit, ftBalancesLimit), Offset: in.Offset, Results: []tokenBalance{}}
	b := s.Batch()
	found := engine.Query(b, holdingColumns, `
		SELECT page.shown, total.n, coalesce(page.asset, ''), coalesce(page.balance, 0)::text
		FROM (SELECT count(*) AS n FROM `+holdingsSQL(at, `h.kind = 'ft'`)+` WHERE held.balance > 0) total
		LEFT JOIN (
			SELECT held.* FROM `+holdingsSQL(at, `h.kind = 'ft'`)+` WHERE held.balance > 0
			ORDER BY lower(held.asset), held.asset OFFSET $3::bigint LIMIT $4::bigint
		) page ON true
		ORDER BY lower(page.asset), page.asset`, account, at.Height, min(in.Offset, page.OffsetMax), int64(list.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, r := range found.Rows {
		list.Total = r.total
		if r.asset != "" { // an empty page has one row, with the total only
			list.Results = append(list.Results, tokenBalance{r.asset, r.balance, schema.NegativeOf(r.balance)})
		}
	}
	s.TraceRows(func() []engine.Lookup {
		assets := make([]string, len(list.Results))
		for i := range list.Results {
			assets[i] = list.Results[i].Token
		}
		return ledgerLookups(account, at, assets...)
	})
	return list, nil
}

func getFTBalance(ctx context.Context, s *engine.Snapshot, in *ftBalanceInput) (*balanceOnly, error) {
	account, at, err := in.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	balance, err := readFTBalance(ctx, s, account, in.Token, at)
	return &balanceOnly{balance, schema.NegativeOf(balance)}, err
}

// readFTBalance reads an account's balance of a fungible token, or of STX for the token stx: zero when the account has
// none, or the token is unknown.
func readFTBalance(ctx context.Context, s *engine.Snapshot, account, token string, at param.Moment) (schema.Amount, error) {
	b := s.Batch()
	found := engine.Query(b, holdingColumns, `
		SELECT held.shown, 1::bigint, $3::text, coalesce(held.balance, 0)::text
		FROM (SELECT 1) one LEFT JOIN `+holdingsSQL(at, `h.kind IN ('ft', 'stx') AND h.asset = $3`)+` ON true`, account, at.Height, token)
	if err := b.Run(ctx); err != nil {
		return "", err
	}
	s.TraceRows(func() []engine.Lookup { return ledgerLookups(account, at, token) })
	r, _ := found.First()
	return r.balance, nil
}
