package token

import (
	"math/big"
	"slices"

	"strata/domain/clarity"
	"strata/domain/fetch"
)

const lastTokenID = "get-last-token-id"

// Calls returns the read-only calls that fetch the properties of a token. ReadToken reads the report. A token of a kind
// other than FT needs an id from 0 to 2^128-1. Without a valid id, or for an unknown kind, Calls returns nil.
func Calls(kind Kind, id *big.Int) []fetch.Call {
	return callsOf(propertiesOf[kind], kind, id)
}

// SupplyCalls returns the call that fetches only the total supply, which changes more often than the other properties.
// ReadSupply reads the report. SupplyCalls returns nil for a kind without supplies.
func SupplyCalls(kind Kind, id *big.Int) []fetch.Call {
	if !slices.ContainsFunc(propertiesOf[kind], func(p property) bool { return p.function == supply.function }) {
		return nil
	}
	return callsOf([]property{supply}, kind, id)
}

func callsOf(properties []property, kind Kind, id *big.Int) []fetch.Call {
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
	for _, p := range properties {
		calls = append(calls, fetch.NewCall(p.function, arguments...))
	}
	return calls
}

// IDOf returns the token id in calls for a kind other than FT; nil if the calls have no id.
func IDOf(calls []fetch.Call) *big.Int {
	if len(calls) == 0 || len(calls[0].Arguments) != 1 {
		return nil
	}
	values, err := calls[0].Values()
	if err != nil || values[0].Type() != clarity.TypeUint {
		return nil
	}
	id, _ := values[0].Int()
	return id
}

// LastTokenIDCall returns the call that fetches the highest id of a contract of kind NFT. ReadLastTokenID reads the
// report.
func LastTokenIDCall() fetch.Call { return fetch.NewCall(lastTokenID) }
