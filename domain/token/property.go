package token

import (
	"math"
	"math/big"

	"strata/domain/clarity"
)

// Read is what a contract says about one of its tokens. What it does not say is nil; zero and the empty text are values.
type Read struct {
	// URI of the metadata as the contract has it, without anything filled in.
	URI    *string
	Name   *string
	Symbol *string
	// Decimals are not negative.
	Decimals *int32
	// TotalSupply is in the smallest unit, from 0 to 2^128-1.
	TotalSupply *big.Int
}

// property is something that a contract can be asked about a token.
type property struct {
	function string
	// set takes what the contract answered; false when the answer is none that the function may give.
	set func(*Read, clarity.Value) bool
	// dispensable properties of a contract that fails to tell them are absent; without others there is no token.
	dispensable bool
}

// URIs, names and decimals are of no use by halves. Supplies fail in contracts that work well otherwise.
var (
	uri      = property{function: "get-token-uri", set: func(r *Read, v clarity.Value) (ok bool) { r.URI, ok = textOf(v); return ok }}
	name     = property{function: "get-name", set: func(r *Read, v clarity.Value) (ok bool) { r.Name, ok = textOf(v); return ok }}
	symbol   = property{function: "get-symbol", set: func(r *Read, v clarity.Value) (ok bool) { r.Symbol, ok = textOf(v); return ok }}
	decimals = property{function: "get-decimals", set: setDecimals}
	supply   = property{
		function:    "get-total-supply",
		set:         func(r *Read, v clarity.Value) (ok bool) { r.TotalSupply, ok = numberOf(v); return ok },
		dispensable: true,
	}
)

// properties are in the order in which they are asked for.
var properties = map[Kind][]property{
	FT:  {uri, name, symbol, decimals, supply},
	SFT: {uri, decimals, supply},
	NFT: {uri},
}

// setDecimals takes a number that no wallet could apply for an unknown one.
func setDecimals(r *Read, v clarity.Value) bool {
	n, ok := numberOf(v)
	if n != nil && n.IsInt64() && n.Int64() <= math.MaxInt32 {
		d := int32(n.Int64())
		r.Decimals = &d
	}
	return ok
}
