package json5

import (
	"math"
	"math/big"
	"strings"
)

// infinite are the digits of the least integer that is nearer to 2^1024 than to any double: it and all above are infinite
// as doubles.
var infinite = func() string {
	power := func(exponent uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), exponent) }
	return power(finiteBits).Sub(power(finiteBits), power(finiteBits-54)).String()
}()

// Finite says whether a decimal number, as JSON writes it, is a finite double. It looks at each digit once, where
// strconv.ParseFloat takes thousands of times as long for the least and the greatest numbers, to know which double it is.
func Finite(literal string) bool {
	mantissa, exponent := literal, 0
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa, exponent = literal[:i], clampedInteger(literal[i+1:])
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	whole = strings.TrimLeft(whole, "0")
	length := len(whole) // of the integer that the number is but for its fraction, if it has any
	if length == 0 {
		significant := strings.TrimLeft(fraction, "0")
		if significant == "" {
			return true
		}
		length, fraction = len(significant)-len(fraction), significant
	}
	if length += exponent; length != len(infinite) {
		return length < len(infinite)
	}
	return isBelow(whole, fraction, infinite)
}

// isBelow compares a number, whose digits are in two parts, with another one of the same length.
func isBelow(whole, fraction, other string) bool {
	part := min(len(whole), len(other))
	if whole[:part] != other[:part] {
		return whole[:part] < other[:part]
	}
	rest := other[part:] // it does not end with zeros, which a shorter fraction may be thought to have
	return fraction[:min(len(fraction), len(rest))] < rest
}

// clampedInteger is an integer with an optional sign, or the nearest that is far from overflowing.
func clampedInteger(literal string) int {
	digits := strings.TrimLeft(literal, "+-")
	n := 0
	for _, digit := range []byte(digits) {
		n = min(10*n+int(digit-'0'), math.MaxInt32)
	}
	if literal[0] == '-' {
		return -n
	}
	return n
}
