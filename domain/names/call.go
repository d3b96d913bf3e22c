package names

import (
	"math/big"

	"strata/domain/clarity"
)

// SilentRenewal is a call of name-renewal without a zonefile hash, for which the contract prints nothing.
type SilentRenewal struct{ Name Name }

// PriceUpdate is a call that changes the price function of a namespace, for which the contract prints nothing.
type PriceUpdate struct {
	Namespace string
	Price     PriceFunction
}

// PriceFreeze is a call after which the price function of a namespace can't be changed any more. The contract prints
// nothing.
type PriceFreeze struct{ Namespace string }

// Functions of the contract whose calls print nothing.
const (
	functionRenewal = "name-renewal"
	functionUpdate  = "namespace-update-function-price"
	functionFreeze  = "namespace-revoke-function-price-edition"
)

// DecodeCall decodes a successful call of the contract that changes something without a print: a *SilentRenewal,
// *PriceUpdate or *PriceFreeze; nil for any other call.
func DecodeCall(function string, arguments []clarity.Value) any {
	switch {
	case function == functionRenewal && len(arguments) == 5 && arguments[4].Type() == clarity.TypeNone:
		namespace, _ := arguments[0].Buffer()
		label, _ := arguments[1].Buffer()
		if n := (Name{string(label), string(namespace)}); n.Valid() {
			return &SilentRenewal{n}
		}
	case function == functionUpdate && len(arguments) == 3+BucketCount+2:
		if u, ok := decodePriceUpdate(arguments); ok {
			return u
		}
	case function == functionFreeze && len(arguments) == 1:
		if namespace, _ := arguments[0].Buffer(); ValidNamespace(string(namespace)) {
			return &PriceFreeze{string(namespace)}
		}
	}
	return nil
}

func decodePriceUpdate(arguments []clarity.Value) (*PriceUpdate, bool) {
	namespace, _ := arguments[0].Buffer()
	numbers := make([]*big.Int, len(arguments))
	for i, a := range arguments[1:] {
		var ok bool
		if numbers[i+1], ok = a.Int(); !ok {
			return nil, false
		}
	}
	u := &PriceUpdate{Namespace: string(namespace), Price: PriceFunction{Base: numbers[1], Coefficient: numbers[2]}}
	copy(u.Price.Buckets[:], numbers[3:])
	u.Price.NonAlphaDiscount, u.Price.NoVowelDiscount = numbers[3+BucketCount], numbers[3+BucketCount+1]
	return u, ValidNamespace(u.Namespace)
}
