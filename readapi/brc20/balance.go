package brc20

import (
	"context"
	"net/http"

	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
)

// brc20Balance is the balance of an address in a token.
type brc20Balance struct {
	Ticker        string `json:"ticker"`
	Available     string `json:"available_balance"`
	Transferrable string `json:"transferrable_balance" doc:"Inscribed for a later send."`
	Overall       string `json:"overall_balance" doc:"The sum of both."`
	Negative      bool   `json:"negative,omitempty" doc:"True if one of the balances is below zero, which no token allows: the feed lacks operations. Absent otherwise."`
	Incomplete    bool   `json:"incomplete,omitempty" doc:"True if the feed has operations of the token that could not be read, so that the balance may be wrong: /audit/v1/quarantine has them. Absent otherwise."`
}

// BRC20AddressInput names a holder of tokens.
type BRC20AddressInput struct {
	Address string `path:"address" doc:"A Bitcoin address." example:"bc1p8aq8s3z9xl87e74twfk93mljxq6alv4a79yheadx33t9np4g2wkqqt8kc5"`
}

// BRC20BalancesInput filters the balances of an address.
type BRC20BalancesInput struct {
	BRC20AddressInput
	Ticker      tickerPrefixes          `query:"ticker,explode"`
	BlockHeight ordinal.HeightParameter `query:"block_height" doc:"Balances after the block at this height; the current balances by default."`
	ordinal.OrdinalsPageInput
}

func (a *api) registerBRC20Balances() {
	engine.Get(a.Engine, brc20Resource(engine.Operation{
		ID: "getBrc20Balances", Path: "/balances/{address}", Summary: "BRC-20 tokens of an address",
		Description: "Balances above zero, the largest first. Each request reads all tokens of the address to count them.",
		Statuses:    []int{http.StatusBadRequest},
	}), a.brc20Balances)
}

type brc20BalanceRow struct {
	whole                                   int64   // number of balances on all pages
	tick, available, transferrable, overall *string // nil in the single row of an empty page
	decimals                                *int16
	incomplete                              bool
}

func brc20BalanceColumns(r *brc20BalanceRow) []any {
	return []any{&r.whole, &r.tick, &r.available, &r.transferrable, &r.overall, &r.decimals, &r.incomplete}
}

func (r *brc20BalanceRow) shape() brc20Balance {
	b := brc20Balance{
		Ticker: *r.tick, Available: tokenAmount(*r.available, r.decimals), Transferrable: tokenAmount(*r.transferrable, r.decimals),
		Overall: tokenAmount(*r.overall, r.decimals), Incomplete: r.incomplete,
	}
	b.Negative = unitsOf(*r.available).Sign() < 0 || unitsOf(*r.transferrable).Sign() < 0
	return b
}

// Queries for the balances of an address. balancesNow selects the current ones; balancesThen selects those after the
// block at height $6: the last entry of each ticker up to that block.
const (
	balancesNow = `
	SELECT {brc20.balance b} AS shown, b.ticker, b.available, b.transferrable, b.total
	FROM {brc20}.balance b
	WHERE b.address = $1 AND b.total > 0`
	balancesThen = `
	SELECT {e.source_seq} AS shown, b.ticker, e.available, e.transferrable, e.available + e.transferrable AS total
	FROM {brc20}.balance b
	CROSS JOIN LATERAL (
		SELECT source_seq, available, transferrable FROM {brc20}.entry
		WHERE address = b.address AND ticker = b.ticker AND height <= $6
		ORDER BY height DESC, tx_index DESC LIMIT 1
	) e
	WHERE b.address = $1 AND e.available + e.transferrable > 0`
)

func (a *api) brc20Balances(ctx context.Context, s *engine.Snapshot, in *BRC20BalancesInput) (*ordinal.OrdinalsPage[brc20Balance], error) {
	list := ordinal.NewOrdinalsPage[brc20Balance](in.OrdinalsPageInput)
	if s.Active(brc20) == nil {
		return list, nil
	}
	least, beyond, _ := in.Ticker.ranges()
	balances, until, args := balancesNow, "", []any{ordinals.Bounded(in.Address), least, beyond, min(in.Offset, page.RankedOffsetMax), int64(in.Limit)}
	var then *int64
	if height, ok := in.BlockHeight.Value(); ok {
		balances, until, args, then = balancesThen, "$6", append(args, height), &height
	}
	b := s.Batch()
	balanceRows := engine.Query(b, brc20BalanceColumns, brc20BalancesSQL(balances, until), args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, r := range balanceRows.Rows {
		if list.Total = r.whole; r.tick != nil {
			list.Results = append(list.Results, r.shape())
		}
	}
	s.TraceRows(func() (lookups []engine.Lookup) {
		for _, b := range list.Results {
			lookups = append(lookups, entryLookup(in.Address, b.Ticker, then))
		}
		return lookups
	})
	return list, nil
}

// brc20BalancesSQL returns the query that counts balances, up to a height if until is not empty, and selects a page of them.
func brc20BalancesSQL(balances, until string) string {
	return `
SELECT {brc20.token t} || p.shown, p.whole, coalesce(t.tick, p.ticker),
       p.available::text, p.transferrable::text, p.total::text, t.decimals, ` + lacks("p.ticker", until) + `
FROM (
	WITH matching AS MATERIALIZED (` + balances + ` AND ` + inRanges("b.ticker", "$2", "$3") + `)
	SELECT n.whole, page.*
	FROM (SELECT count(*) AS whole FROM matching) n
	LEFT JOIN (SELECT * FROM matching ORDER BY total DESC, ticker OFFSET $4 LIMIT $5) page ON true
) p
LEFT JOIN LATERAL (SELECT * FROM {brc20}.token WHERE ticker = p.ticker LIMIT 1) t ON true
ORDER BY p.total DESC, p.ticker`
}
