package token

import (
	"slices"

	"strata/domain/contract"
)

// Recognised is what the interface of a token contract says about its tokens.
type Recognised struct {
	Kind Kind
	// FungibleToken and NonFungibleToken are the first assets that the contract defines; empty for none.
	FungibleToken    string
	NonFungibleToken string
}

// Recognise reports whether a contract is a token, and of which kind. A nil interface means that the interface is
// unknown; such a contract is not a token.
//
// Recognise compares the names of the callable functions and the types of their arguments, which must be equal part by
// part. It ignores the types of the results, because contracts in wide use deviate there; ReadToken finds out. A
// contract that follows several standards gets the richest: SIP-013 before SIP-009 before SIP-010.
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

// function is a function that a standard requires: its name and the types of its arguments.
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

func hasAll(i *contract.Interface, functions []function) bool {
	for _, f := range functions {
		if !slices.ContainsFunc(i.Functions, f.matches) {
			return false
		}
	}
	return true
}

// matches reports whether a contract's function is the required one. A private function never is, because only the
// contract itself can call it.
func (f function) matches(have contract.Function) bool {
	return have.Name == f.name && have.Access != "private" &&
		slices.EqualFunc(have.Args, f.arguments, func(a contract.Argument, want contract.Type) bool {
			return equal(a.Type, want)
		})
}

// equal compares a type with the type in a standard, part by part. No standard has tuples. Comparing the texts of the
// types would not do: an unknown type has whatever text the node wrote.
func equal(have, want contract.Type) bool {
	return have.Kind == want.Kind && have.Length == want.Length && slices.EqualFunc(have.Parts, want.Parts, equal)
}
