package brc20

import (
	"context"
	"math/big"
	"strings"

	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
)

// brc20 is the name of the projection of BRC-20 tokens.
const brc20 = "brc20"

func (a *api) registerBRC20() {
	a.registerBRC20Tokens()
	a.registerBRC20Token()
	a.registerBRC20Holders()
	a.registerBRC20Balances()
	a.registerBRC20ManyBalances()
	a.registerBRC20Transferable()
	a.registerBRC20Activity()
}

// brc20Resource completes an operation with the path prefix, tag and dependencies that all BRC-20 operations share.
func brc20Resource(r engine.Operation) engine.Operation {
	r.Path, r.Tag = "/brc-20"+r.Path, "BRC-20"
	return ordinal.OrdinalsResource(r)
}

// pageOf returns a page of the rows that read reads. It is empty while there is no version of the projection.
func pageOf[R, B any](ctx context.Context, s *engine.Snapshot, in ordinal.OrdinalsPageInput,
	read func(context.Context, *engine.Snapshot) ([]R, int64, error), shape func(*R) B,
) (*ordinal.OrdinalsPage[B], error) {
	page := ordinal.NewOrdinalsPage[B](in)
	if s.Active(brc20) == nil {
		return page, nil
	}
	rows, total, err := read(ctx, s)
	if err != nil {
		return nil, err
	}
	page.Total = total
	for i := range rows {
		page.Results = append(page.Results, shape(&rows[i]))
	}
	return page, nil
}

// lacks returns the condition that the feed has an operation of the token with a ticker that could not be read, in a block up to the
// height until; empty for any block.
func lacks(ticker, until string) string {
	return ordinal.LacksSQL(`ARRAY['brc20:' || `+ticker+`]`, until)
}

// unitsOf parses an amount from the tables, which always has 18 decimals, into units of 10^-18.
func unitsOf(text string) *big.Int {
	units, ok := new(big.Int).SetString(strings.Replace(text, ".", "", 1), 10)
	if !ok {
		return new(big.Int) // not a numeric(60, 18)
	}
	return units
}

// tokenAmount formats an amount from the tables with the decimals of its token. A token has no known decimals when the
// feed lacks the block of its deploy; its amounts get all 18.
func tokenAmount(text string, decimals *int16) string {
	return ordinals.FormatAmount(unitsOf(text), decimalsOf(decimals))
}

func tokenAmountOrNull(text *string, decimals *int16) *string {
	if text == nil {
		return nil
	}
	written := tokenAmount(*text, decimals)
	return &written
}

func decimalsOf(decimals *int16) uint8 {
	if decimals == nil {
		return ordinals.AmountDecimals
	}
	return uint8(*decimals)
}
