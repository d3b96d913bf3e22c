package nodeevent

import (
	"bytes"
	"math/big"
	"strconv"
)

const (
	u128Bits = 128
	// u256Bits bounds the numbers that the reference implementation may have rounded up. See the package comment.
	u256Bits = 256
	// maxDigits is the number of decimal digits of 2^256-1. It also bounds the work that an exponent can ask for.
	maxDigits = 78
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
	if n, ok = parseSmallUint(text); ok {
		return n, true
	}
	b, ok := parseBig(text)
	if !ok || !b.IsUint64() {
		return 0, false
	}
	return b.Uint64(), true
}

// parseSmallUint parses up to 19 plain digits, the form of nearly all numbers.
func parseSmallUint(text []byte) (n uint64, ok bool) {
	if len(text) == 0 || len(text) > 19 {
		return 0, false
	}
	for _, ch := range text {
		if ch < '0' || ch > '9' {
			return 0, false
		}
		n = n*10 + uint64(ch-'0')
	}
	return n, true
}

// parseBig parses decimal digits, or a decimal number with a fraction or an exponent as long as it is whole: JavaScript
// writes 1e+21. It refuses negative numbers.
func parseBig(text []byte) (*big.Int, bool) {
	if n, ok := parseSmallUint(text); ok {
		return new(big.Int).SetUint64(n), true
	}
	mantissa, exponent := text, 0
	if e := bytes.IndexAny(text, "eE"); e >= 0 {
		n, err := strconv.Atoi(string(text[e+1:]))
		if err != nil || n > maxDigits || n < -maxDigits {
			return nil, false
		}
		mantissa, exponent = text[:e], n
	}
	digits := string(mantissa)
	if dot := bytes.IndexByte(mantissa, '.'); dot >= 0 {
		digits = string(mantissa[:dot]) + string(mantissa[dot+1:])
		exponent -= len(mantissa) - dot - 1
	}
	for exponent < 0 && len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits, exponent = digits[:len(digits)-1], exponent+1
	}
	if exponent < 0 || len(digits) == 0 || len(digits)+exponent > maxDigits {
		return nil, false
	}
	for _, ch := range []byte(digits) {
		if ch < '0' || ch > '9' {
			return nil, false
		}
	}
	b, ok := new(big.Int).SetString(digits, 10)
	if ok && exponent > 0 {
		b.Mul(b, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil))
	}
	return b, ok
}
