package nodeevent

import (
	"math/big"
	"strconv"
	"strings"
)

const (
	u128Bits = 128
	// u256Bits bounds the numbers that the reference implementation may have rounded up. See the package comment.
	u256Bits = 256
	// maxExponent and maxMantissa bound the work that a number can ask for. 2^256-1 has 78 decimal digits.
	maxExponent = 78
	maxMantissa = 2 * maxExponent // bytes
)

// amount reads a whole number from 0 to 2^128-1.
func (c *cursor) amount(dst **big.Int) (present bool) {
	*dst = c.big(u128Bits)
	return *dst != nil
}

// big reads a whole number of at most the given number of bits; nil for null.
func (c *cursor) big(bits int) *big.Int {
	text, present := c.Digits("a whole number")
	if !present {
		return nil
	}
	b, ok := parseBig(text)
	if !ok || b.BitLen() > bits {
		c.Wrong("a whole number of at most "+strconv.Itoa(bits)+" bits", text, nil)
		return nil
	}
	return b
}

// parseUint parses what parseBig parses, if it has at most 64 bits.
func parseUint(text []byte) (n uint64, ok bool) {
	if n, err := parsePlain(text); err == nil {
		return n, true
	}
	if b, whole := parseBig(text); whole {
		n, ok = b.Uint64(), b.IsUint64()
	}
	return n, ok
}

// parsePlain parses decimal digits of at most 64 bits, the form of nearly all numbers.
func parsePlain(text []byte) (uint64, error) { return strconv.ParseUint(string(text), 10, 64) }

// parseBig parses decimal digits, or a decimal number with a fraction or an exponent as long as it is whole: JavaScript
// writes 1e+21. It refuses negative numbers.
func parseBig(text []byte) (*big.Int, bool) {
	if n, err := parsePlain(text); err == nil {
		return new(big.Int).SetUint64(n), true
	}
	mantissa, power, scaled := strings.Cut(strings.ToLower(string(text)), "e")
	if len(mantissa) > maxMantissa || strings.Trim(mantissa, "0123456789.") != "" {
		return nil, false
	}
	if exponent, err := strconv.Atoi(power); scaled && (err != nil || exponent > maxExponent || exponent < -maxExponent) {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(string(text))
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}
