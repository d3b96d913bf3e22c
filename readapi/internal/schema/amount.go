package schema

import (
	"math/big"
)

// addAmounts adds whole numbers as the tables write them.
func AddAmounts(decimals ...string) Amount {
	sum := new(big.Int)
	for _, d := range decimals {
		sum.Add(sum, WholeNumber(d))
	}
	return Amount(sum.String())
}

// subtractAmounts is what is left of one whole number without another; it may be negative.
func SubtractAmounts(from, what Amount) Amount {
	return Amount(new(big.Int).Sub(WholeNumber(string(from)), WholeNumber(string(what))).String())
}

// wholeNumber reads a number of a column of amounts, which holds no others.
func WholeNumber(decimal string) *big.Int {
	n, ok := new(big.Int).SetString(decimal, 10)
	if !ok {
		return new(big.Int)
	}
	return n
}
