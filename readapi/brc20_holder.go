package readapi

import (
	"context"
	"net/http"
)

// brc20Holder is who has some of a token.
type brc20Holder struct {
	Address        string `json:"address"`
	OverallBalance string `json:"overall_balance"`
}

func (a *API) registerBRC20Holders() {
	get(a.Engine, brc20Resource(resource{
		id: "getBrc20TokenHolders", path: "/tokens/{ticker}/holders", summary: "Who has a BRC-20 token",
		about:    "By what they have, the most first. All rows before the page are passed over.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}), a.brc20Holders)
}

func (a *API) brc20Holders(ctx context.Context, s *snapshot, in *struct {
	BRC20Input
	OrdinalsPageInput
}) (*ordinalsPage[brc20Holder], error) {
	if s.active(brc20) == nil {
		return nil, errOrdinalsNotFound
	}
	type tokenRow struct {
		holders  int64
		decimals *int16
	}
	type holderRow struct{ address, total string }
	ticker := tickerOf(string(in.Ticker))
	b := s.batch()
	tokens := query(b, func(r *tokenRow) []any { return []any{&r.holders, &r.decimals} },
		`SELECT ARRAY[t.source_seq], t.holders, t.decimals FROM {brc20}.token t WHERE t.ticker = $1 AND t.height IS NOT NULL`, ticker)
	// The inner query needs nothing but its index, for however many rows it passes over.
	holders := query(b, func(r *holderRow) []any { return []any{&r.address, &r.total} }, `
		SELECT r.* FROM (
			SELECT address, total FROM {brc20}.balance WHERE ticker = $1 AND total > 0 ORDER BY total DESC, address OFFSET $2 LIMIT $3
		) p
		CROSS JOIN LATERAL (
			SELECT ARRAY[h.source_seq], h.address, h.total::text AS overall FROM {brc20}.balance h WHERE h.ticker = $1 AND h.address = p.address LIMIT 1
		) r ORDER BY p.total DESC, p.address`, ticker, min(in.Offset, offsetMax), int64(in.Limit))
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	token, ok := tokens.first()
	if !ok {
		return nil, errOrdinalsNotFound
	}
	page := newOrdinalsPage[brc20Holder](in.OrdinalsPageInput)
	page.Total = token.holders
	for _, h := range holders.rows {
		page.Results = append(page.Results, brc20Holder{h.address, tokenAmount(h.total, token.decimals)})
	}
	return page, nil
}
