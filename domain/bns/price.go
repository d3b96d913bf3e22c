package bns

import (
	"math/big"
	"strings"
)

// BucketCount is the number of exponents of a price function.
const BucketCount = 16

// PriceFunction is the price function of a namespace. Its numbers are chosen by whoever revealed the namespace.
type PriceFunction struct {
	Base, Coefficient                 *big.Int
	NonAlphaDiscount, NoVowelDiscount *big.Int
	Buckets                           [BucketCount]*big.Int // exponents by the length of the label: 1 to 15, and 16 or more
}

// maxBits is the size of a Clarity uint.
const maxBits = 128

// maxExponent is the largest exponent that pow of Clarity takes.
var maxExponent = new(big.Int).SetUint64(1<<32 - 1)

// Of returns the price of a label in µSTX. It returns false where the contract's computation fails, so that nobody
// can pay: a number would exceed 128 bits, or a discount is 0.
//
// The contract computes coeff × base^exponent / discount × 10. The discount is the greater one of those that apply: for
// a digit, hyphen or underscore, and for no vowel (a, e, i, o, u, y).
func (p *PriceFunction) Of(label string) (*big.Int, bool) {
	if label == "" || p.Base == nil {
		return nil, false
	}
	factor, ok := power(p.Base, p.Buckets[min(len(label), BucketCount)-1])
	if !ok {
		return nil, false
	}
	price := factor.Mul(factor, p.Coefficient)
	discount := big.NewInt(1)
	if strings.ContainsAny(label, "0123456789-_") {
		discount = p.NonAlphaDiscount
	}
	vowel := big.NewInt(1)
	if !strings.ContainsAny(label, "aeiouy") {
		vowel = p.NoVowelDiscount
	}
	if vowel.Cmp(discount) > 0 {
		discount = vowel
	}
	if discount.Sign() == 0 || price.BitLen() > maxBits {
		return nil, false
	}
	price.Quo(price, discount).Mul(price, big.NewInt(10))
	return price, price.BitLen() <= maxBits
}

// power returns base^exponent, or false if it has more than 128 bits.
func power(base, exponent *big.Int) (*big.Int, bool) {
	one := big.NewInt(1)
	switch {
	case exponent.Sign() == 0 || base.Cmp(one) == 0:
		return one, true
	case base.Sign() == 0:
		return new(big.Int), true
	case exponent.Cmp(maxExponent) > 0 || exponent.Cmp(big.NewInt(maxBits)) > 0:
		return nil, false
	}
	result := new(big.Int).Exp(base, exponent, nil)
	return result, result.BitLen() <= maxBits
}

// NamespacePrice returns what the preorder of a namespace burns, in µSTX. It returns false for a namespace that the
// contract does not accept.
func NamespacePrice(namespace string) (*big.Int, bool) {
	if !Legal(namespace, NamespaceMost) {
		return nil, false
	}
	switch n := len(namespace); {
	case n == 1:
		return big.NewInt(640_000_000_000), true
	case n <= 3:
		return big.NewInt(64_000_000_000), true
	case n <= 7:
		return big.NewInt(6_400_000_000), true
	}
	return big.NewInt(640_000_000), true
}
