package brc20

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
)

// brc20Holder is an address that has some of a token.
type brc20Holder struct {
	Address        string `json:"address"`
	OverallBalance string `json:"overall_balance"`
}

func (a *api) registerBRC20Holders() {
	engine.Get(a.Engine, brc20Resource(engine.Operation{
		ID: "getBrc20TokenHolders", Path: "/tokens/{ticker}/holders", Summary: "Holders of a BRC-20 token",
		Description: "The largest balance comes first. Each request passes over all rows before the page.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}), a.brc20Holders)
}

func (a *api) brc20Holders(ctx context.Context, s *engine.Snapshot, in *struct {
	BRC20Input
	ordinal.OrdinalsPageInput
}) (*ordinal.OrdinalsPage[brc20Holder], error) {
	if s.Active(brc20) == nil {
		return nil, ordinal.ErrOrdinalsNotFound
	}
	type tokenRow struct {
		holders  int64
		decimals *int16
	}
	type holderRow struct{ address, total string }
	ticker := tickerOf(string(in.Ticker))
	b := s.Batch()
	tokens := engine.Query(b, func(r *tokenRow) []any { return []any{&r.holders, &r.decimals} },
		`SELECT {brc20.token t}, t.holders, t.decimals FROM {brc20}.token t WHERE t.ticker = $1 AND t.height IS NOT NULL`, ticker)
	// The inner query reads only its index, however many rows it passes over.
	holders := engine.Query(b, func(r *holderRow) []any { return []any{&r.address, &r.total} }, `
		SELECT r.* FROM (
			SELECT address, total FROM {brc20}.balance WHERE ticker = $1 AND total > 0 ORDER BY total DESC, address OFFSET $2 LIMIT $3
		) p
		CROSS JOIN LATERAL (
			SELECT {brc20.balance h}, h.address, h.total::text AS overall FROM {brc20}.balance h WHERE h.ticker = $1 AND h.address = p.address LIMIT 1
		) r ORDER BY p.total DESC, p.address`, ticker, min(in.Offset, page.RankedOffsetMax), int64(in.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	token, ok := tokens.First()
	if !ok {
		return nil, in.notFound(ctx, s)
	}
	page := ordinal.NewOrdinalsPage[brc20Holder](in.OrdinalsPageInput)
	page.Total = token.holders
	for _, h := range holders.Rows {
		page.Results = append(page.Results, brc20Holder{h.address, tokenAmount(h.total, token.decimals)})
	}
	return page, nil
}
