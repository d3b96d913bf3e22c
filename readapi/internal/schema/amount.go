package schema

import (
	"math/big"
)

// AddAmounts returns the sum of whole numbers as the tables write them.
func AddAmounts(decimals ...string) Amount {
	sum := new(big.Int)
	for _, d := range decimals {
		sum.Add(sum, WholeNumber(d))
	}
	return Amount(sum.String())
}

// SubtractAmounts returns from minus what, which may be negative.
func SubtractAmounts(from, what Amount) Amount {
	return Amount(new(big.Int).Sub(WholeNumber(string(from)), WholeNumber(string(what))).String())
}

// WholeNumber parses a decimal from a column of amounts. Such columns hold whole numbers only; any other text counts as
// 0.
func WholeNumber(decimal string) *big.Int {
	n, ok := new(big.Int).SetString(decimal, 10)
	if !ok {
		return new(big.Int)
	}
	return n
}
