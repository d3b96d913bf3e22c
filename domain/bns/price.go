package bns

import (
	"math/big"

	"strata/domain/names"
)

// Names and namespaces cost what they did in the first registry.

// BucketCount is the number of exponents of a price function.
const BucketCount = names.BucketCount

// PriceFunction is the price function of a namespace. Its numbers are chosen by whoever revealed the namespace.
type PriceFunction = names.PriceFunction

// NamespacePrice returns what the preorder of a namespace burns, in µSTX. It returns false for a namespace that the
// contract does not accept.
func NamespacePrice(namespace string) (*big.Int, bool) {
	if !names.ValidNamespace(namespace) {
		return nil, false
	}
	price, err := names.NamespacePrice(namespace)
	return price, err == nil
}
