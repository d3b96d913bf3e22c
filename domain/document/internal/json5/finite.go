package json5

import (
	"math"
	"math/big"
	"strings"
)

// infinite has the digits of the smallest integer that is nearer to 2^1024 than to any double. It and all greater
// numbers are infinite as doubles.
var infinite = func() string {
	power := func(exponent uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), exponent) }
	return power(finiteBits).Sub(power(finiteBits), power(finiteBits-54)).String()
}()

// Finite reports whether a decimal number in JSON is finite as a double. It looks at each digit once.
// strconv.ParseFloat also finds the nearest double, which takes thousands of times as long for the smallest and the
// greatest numbers.
func Finite(literal string) bool {
	mantissa, exponent := literal, 0
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa, exponent = literal[:i], clampedInteger(literal[i+1:])
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	whole = strings.TrimLeft(whole, "0")
	length := len(whole) // the number of digits before the decimal point; negative for zeros after it
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

// isBelow reports whether a number, whose digits are in two parts, is less than another number of the same length.
func isBelow(whole, fraction, other string) bool {
	part := min(len(whole), len(other))
	if whole[:part] != other[:part] {
		return whole[:part] < other[:part]
	}
	rest := other[part:] // does not end with a zero, so a shorter fraction with the same digits is less
	return fraction[:min(len(fraction), len(rest))] < rest
}

// clampedInteger parses an integer with an optional sign and limits it to 32 bits, so that sums cannot overflow.
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
