package token

import (
	"encoding/hex"
	"math/big"
	"slices"
	"strings"

	"strata/domain/clarity"
	"strata/domain/fetch"
)

const lastTokenID = "get-last-token-id"

// Calls are the read-only calls that a token needs, for a want that ReadToken reads the report of. Tokens of a kind
// other than FT have an id, from 0 to 2^128-1. There are no calls for any other id, or without one, or for what is no
// kind.
func Calls(kind Kind, id *big.Int) []fetch.Call {
	return callsOf(properties[kind], kind, id)
}

// SupplyCalls ask for the total supply alone, which ReadSupply reads: it changes more often than the rest. There are none
// for a kind without supplies.
func SupplyCalls(kind Kind, id *big.Int) []fetch.Call {
	if !slices.ContainsFunc(properties[kind], func(p property) bool { return p.function == supply.function }) {
		return nil
	}
	return callsOf([]property{supply}, kind, id)
}

func callsOf(wanted []property, kind Kind, id *big.Int) []fetch.Call {
	var arguments []clarity.Value
	if kind != FT {
		if id == nil {
			return nil
		}
		argument, err := clarity.NewUint(id)
		if err != nil {
			return nil
		}
		arguments = []clarity.Value{argument}
	}
	var calls []fetch.Call
	for _, p := range wanted {
		calls = append(calls, fetch.NewCall(p.function, arguments...))
	}
	return calls
}

// IDOf is the id that calls of a kind other than FT are about; nil when they are about none.
func IDOf(calls []fetch.Call) *big.Int {
	if len(calls) == 0 || len(calls[0].Arguments) != 1 {
		return nil
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(calls[0].Arguments[0], "0x"))
	if err != nil {
		return nil
	}
	v, err := clarity.DecodeAll(raw)
	if err != nil || v.Type() != clarity.TypeUint {
		return nil
	}
	id, _ := v.Int()
	return id
}

// LastTokenIDCall asks a contract of kind NFT for the highest id that it has given out, which ReadLastTokenID reads.
func LastTokenIDCall() fetch.Call { return fetch.NewCall(lastTokenID) }
