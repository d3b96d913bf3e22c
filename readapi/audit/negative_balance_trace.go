package audit

import (
	"strata/readapi/internal/engine"
)

var tracedNegative = &engine.TraceTable{
	Projection: "balances", Name: "negative_balance", Key: "account asset height", Values: "balance:text cause",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
}

// negativeBalanceLookups returns the look-up of negative balances.
func negativeBalanceLookups(shown []negativeBalance) []engine.Lookup {
	if len(shown) == 0 {
		return nil
	}
	var accounts, assets []string
	var heights []int64
	for _, n := range shown {
		accounts, assets, heights = append(accounts, n.Account), append(assets, n.Asset), append(heights, n.Height)
	}
	return []engine.Lookup{{
		Name: "negative balance", Table: tracedNegative, Order: `t.account, t.asset, t.height`,
		Where: `(t.account, t.asset, t.height) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]))`, Args: []any{accounts, assets, heights},
	}}
}
