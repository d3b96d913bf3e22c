package token

import (
	"slices"

	"strata/domain/contract"
)

// Recognised is what the interface of a token contract tells.
type Recognised struct {
	Kind Kind
	// FungibleToken and NonFungibleToken are the first of the assets that the contract defines; empty when it defines
	// none.
	FungibleToken    string
	NonFungibleToken string
}

// Recognise says whether a contract is a token; nil is a contract whose interface is not known, and none.
//
// A contract is judged by its callable functions: their names, and the types of their arguments, which must be equal
// part by part. Results do not count, because contracts in wide use deviate there; that shows when they are read. A
// contract that fits several standards has the richest, so SIP-013 comes before SIP-009 and SIP-010.
func Recognise(i *contract.Interface) (Recognised, bool) {
	if i == nil {
		return Recognised{}, false
	}
	var r Recognised
	if len(i.FungibleTokens) > 0 {
		r.FungibleToken = i.FungibleTokens[0].Name
	}
	if len(i.NonFungibleTokens) > 0 {
		r.NonFungibleToken = i.NonFungibleTokens[0].Name
	}
	switch {
	case hasAll(i, semiFungible):
		r.Kind = SFT
	case len(i.NonFungibleTokens) > 0 && hasAll(i, nonFungible):
		r.Kind = NFT
	case len(i.FungibleTokens) > 0 && hasAll(i, fungible):
		r.Kind = FT
	default:
		return Recognised{}, false
	}
	return r, true
}

// function is what a standard asks for: a name and the types of the arguments.
type function struct {
	name      string
	arguments []contract.Type
}

var (
	unsigned     = contract.Type{Kind: contract.Uint}
	principal    = contract.Type{Kind: contract.Principal}
	memo         = contract.Type{Kind: contract.Buffer, Length: 34}
	optionalMemo = contract.Type{Kind: contract.Optional, Parts: []contract.Type{memo}}
)

var semiFungible = []function{
	{"get-balance", []contract.Type{unsigned, principal}},
	{"get-overall-balance", []contract.Type{principal}},
	{"get-total-supply", []contract.Type{unsigned}},
	{"get-overall-supply", nil},
	{"get-decimals", []contract.Type{unsigned}},
	{"get-token-uri", []contract.Type{unsigned}},
	{"transfer", []contract.Type{unsigned, unsigned, principal, principal}},
	{"transfer-memo", []contract.Type{unsigned, unsigned, principal, principal, memo}},
}

var nonFungible = []function{
	{"get-last-token-id", nil},
	{"get-token-uri", []contract.Type{unsigned}},
	{"get-owner", []contract.Type{unsigned}},
	{"transfer", []contract.Type{unsigned, principal, principal}},
}

var fungible = []function{
	{"transfer", []contract.Type{unsigned, principal, principal, optionalMemo}},
	{"get-name", nil},
	{"get-symbol", nil},
	{"get-decimals", nil},
	{"get-balance", []contract.Type{principal}},
	{"get-total-supply", nil},
	{"get-token-uri", nil},
}

func hasAll(i *contract.Interface, wanted []function) bool {
	for _, f := range wanted {
		if !slices.ContainsFunc(i.Functions, f.isMetBy) {
			return false
		}
	}
	return true
}

// isMetBy leaves out private functions, which only the contract itself can call.
func (f function) isMetBy(have contract.Function) bool {
	return have.Name == f.name && have.Access != "private" &&
		slices.EqualFunc(have.Args, f.arguments, func(a contract.Argument, want contract.Type) bool {
			return equal(a.Type, want)
		})
}

// equal compares a type with that of a standard part by part. No standard has tuples. Texts would not do: what is not
// understood is shown as it came.
func equal(have, want contract.Type) bool {
	return have.Kind == want.Kind && have.Length == want.Length && slices.EqualFunc(have.Parts, want.Parts, equal)
}
