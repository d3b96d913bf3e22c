package readapi

import "math/big"

// addAmounts adds whole numbers as the tables write them.
func addAmounts(decimals ...string) amount {
	sum := new(big.Int)
	for _, d := range decimals {
		sum.Add(sum, wholeNumber(d))
	}
	return amount(sum.String())
}

// subtractAmounts is what is left of one whole number without another; it may be negative.
func subtractAmounts(from, what amount) amount {
	return amount(new(big.Int).Sub(wholeNumber(string(from)), wholeNumber(string(what))).String())
}

// wholeNumber reads a number of a column of amounts, which holds no others.
func wholeNumber(decimal string) *big.Int {
	n, ok := new(big.Int).SetString(decimal, 10)
	if !ok {
		return new(big.Int)
	}
	return n
}
