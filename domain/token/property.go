package token

import (
	"math"
	"math/big"

	"strata/domain/clarity"
	"strata/domain/fetch"
)

// Read has the properties that a contract states for one of its tokens. A property that it does not state is nil; zero
// and the empty text are values.
type Read struct {
	// URI of the metadata as the contract has it, with its placeholders.
	URI    *string
	Name   *string
	Symbol *string
	// Decimals are not negative.
	Decimals *int32
	// TotalSupply is in the smallest unit, from 0 to 2^128-1.
	TotalSupply *big.Int
	// Lack says why a property is missing for which another attempt is made; nil if there is none. A supply that the contract
	// fails to state is not tried again.
	Lack *fetch.Problem
}

// LacksForNow reports whether a property is missing that another attempt is likely to bring: a node failed, not the contract.
func (r *Read) LacksForNow() bool { return r.Lack != nil && r.Lack.Severity != fetch.Wrong }

// property is a property of a token that a read-only function of its contract returns.
type property struct {
	function string
	// set stores the result of the function; false if its type is wrong.
	set func(*Read, clarity.Value) bool
	// field is the name of the property in answers.
	field string
	// optional means that nobody tries again because the contract fails to return the property.
	optional bool
}

// Only supplies are optional: they fail in contracts that otherwise work well.
var (
	uri      = property{function: "get-token-uri", field: "token_uri", set: func(r *Read, v clarity.Value) (ok bool) { r.URI, ok = textOf(v); return ok }}
	name     = property{function: "get-name", field: "name", set: func(r *Read, v clarity.Value) (ok bool) { r.Name, ok = textOf(v); return ok }}
	symbol   = property{function: "get-symbol", field: "symbol", set: func(r *Read, v clarity.Value) (ok bool) { r.Symbol, ok = textOf(v); return ok }}
	decimals = property{function: "get-decimals", field: "decimals", set: setDecimals}
	supply   = property{
		function: "get-total-supply", field: "total_supply",
		set:      func(r *Read, v clarity.Value) (ok bool) { r.TotalSupply, ok = numberOf(v); return ok },
		optional: true,
	}
)

// propertiesOf has the properties of each kind, in the order of the calls.
var propertiesOf = map[Kind][]property{
	FT:  {uri, name, symbol, decimals, supply},
	SFT: {uri, decimals, supply},
	NFT: {uri},
}

// setDecimals treats a number above 2^31-1, which no wallet can apply, as unknown.
func setDecimals(r *Read, v clarity.Value) bool {
	n, ok := numberOf(v)
	if n != nil && n.IsInt64() && n.Int64() <= math.MaxInt32 {
		d := int32(n.Int64())
		r.Decimals = &d
	}
	return ok
}
