package names_test

import (
	"math/big"

	"strata/projections/names"
	"strata/rig/foldtest"
)

// rig dumps the tables whose rows depend on the canonical chain and on the set of zonefiles alone, without the columns that name events.
var rig = foldtest.New(func() foldtest.Projection {
	projection := names.New()
	projection.Limit(4) // so that lists have several parts
	return projection
}, []string{"source_seq", "operation_seq"}, "block", "namespace", "operation", "custody", "name", "subdomain", "want", "list")

// number returns a whole number; nil for none.
func number(text *string) *big.Int {
	if text == nil {
		return nil
	}
	n, _ := new(big.Int).SetString(*text, 10)
	return n
}
