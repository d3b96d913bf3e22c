package names

import (
	"errors"
	"math/big"
	"slices"
	"strings"
)

// BucketCount is the number of exponents of a price function.
const BucketCount = 16

// PriceFunction says what a name costs in a namespace.
type PriceFunction struct {
	// Buckets has the exponent for each length of a name; the last one is for all longer names, too.
	Buckets           [BucketCount]*big.Int
	Base, Coefficient *big.Int
	NonAlphaDiscount  *big.Int // the divisor for a name with a digit, - or _
	NoVowelDiscount   *big.Int // the divisor for a name without a, e, i, o, u and y
}

// Equal reports whether two price functions are the same.
func (p *PriceFunction) Equal(other *PriceFunction) bool {
	equal := func(a, b *big.Int) bool { return a.Cmp(b) == 0 }
	return equal(p.Base, other.Base) && equal(p.Coefficient, other.Coefficient) && equal(p.NonAlphaDiscount, other.NonAlphaDiscount) &&
		equal(p.NoVowelDiscount, other.NoVowelDiscount) && slices.EqualFunc(p.Buckets[:], other.Buckets[:], equal)
}

// ErrPrice is the error of a price that the contract fails to compute.
var ErrPrice = errors.New("the contract computes no price for this name")

// uintMax is the largest uint of Clarity.
var uintMax = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))

// ten is the factor of the contract's prices: they are in units of 10 µSTX.
var ten = big.NewInt(10)

// NamePrice returns what the contract asks for a name without its namespace, in µSTX. Any bytes may be a name here, as
// the contract does not check them either. The error is ErrPrice where the contract fails: for an empty or too long
// name, and for a number that does not fit in 128 bits.
func (p *PriceFunction) NamePrice(label string) (*big.Int, error) {
	if label == "" || len(label) > LabelMax {
		return nil, ErrPrice
	}
	power, ok := pow(p.Base, p.Buckets[min(len(label), BucketCount)-1])
	if !ok {
		return nil, ErrPrice
	}
	price := power.Mul(power, p.Coefficient)
	if price.Cmp(uintMax) > 0 {
		return nil, ErrPrice
	}
	discount := big.NewInt(1)
	if strings.ContainsFunc(label, func(r rune) bool { return r < 0x80 && isNonAlpha(byte(r)) }) {
		discount = p.NonAlphaDiscount
	}
	noVowel := big.NewInt(1)
	if !strings.ContainsAny(label, "aeiouy") {
		noVowel = p.NoVowelDiscount
	}
	if noVowel.Cmp(discount) > 0 {
		discount = noVowel
	}
	if discount.Sign() == 0 {
		return nil, ErrPrice
	}
	price.Div(price, discount)
	if price.Mul(price, ten).Cmp(uintMax) > 0 {
		return nil, ErrPrice
	}
	return price, nil
}

// pow returns base to the power of exponent; ok is false if the contract fails: the exponent has more than 32 bits, or
// the result more than 128. As in Clarity, the bases 0 and 1 take any exponent, and so do the exponents 0 and 1 any base.
func pow(base, exponent *big.Int) (power *big.Int, ok bool) {
	switch {
	case base.Sign() == 0 && exponent.Sign() == 0, base.Cmp(big.NewInt(1)) == 0, exponent.Sign() == 0:
		return big.NewInt(1), true
	case base.Sign() == 0:
		return new(big.Int), true
	case exponent.Cmp(big.NewInt(1)) == 0:
		return new(big.Int).Set(base), true
	case !exponent.IsInt64() || exponent.Int64() > 128: // at least 2^129
		return nil, false
	}
	power = new(big.Int).Exp(base, exponent, nil)
	return power, power.Cmp(uintMax) <= 0
}

// namespacePrices are the prices of namespaces by length, in STX; the last one is for all longer ones, too.
var namespacePrices = [...]int64{640_000, 64_000, 64_000, 6_400, 6_400, 6_400, 6_400, 640}

// NamespacePrice returns what the contract asks for a namespace, in µSTX. The error is ErrPrice for an empty or too
// long one (error 1013 of the contract, or no value of the argument's type).
func NamespacePrice(namespace string) (*big.Int, error) {
	if namespace == "" || len(namespace) > NamespaceMax {
		return nil, ErrPrice
	}
	stx := namespacePrices[min(len(namespace), len(namespacePrices))-1]
	return new(big.Int).Mul(big.NewInt(stx), big.NewInt(1_000_000)), nil
}
