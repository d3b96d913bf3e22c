package nodeevent

import (
	"bytes"
	"math/big"
	"strconv"
)

const (
	u128Bits = 128
	// u256Bits bounds the numbers that may have been rounded upwards on their way. See the package comment.
	u256Bits = 256
	// mostDigits is the number of decimal digits of 2^256-1. It also bounds the work an exponent can ask for.
	mostDigits = 78
)

// digits reads a number, or a decimal string, and returns its text, valid until the next call.
func (c *cursor) digits(want string) (text []byte, present bool) {
	v := c.value()
	if c.err != nil {
		return nil, false
	}
	switch v[0] {
	case 'n':
		return nil, false
	case '"':
		return c.unquote(v), true
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return v, true
	}
	c.wrong(want, v, nil)
	return nil, false
}

// uint reads a whole number of at most bits bits.
func (c *cursor) uint(bits int) (n uint64, present bool) {
	text, present := c.digits("a whole number")
	if !present {
		return 0, false
	}
	n, ok := smallUint(text)
	if !ok {
		b, good := parseBig(text)
		if !good || !b.IsUint64() {
			c.wrong("a whole number of at most "+strconv.Itoa(bits)+" bits", text, nil)
			return 0, false
		}
		n = b.Uint64()
	}
	if bits < 64 && n>>bits != 0 {
		c.wrong("a whole number of at most "+strconv.Itoa(bits)+" bits", text, nil)
		return 0, false
	}
	return n, true
}

func (c *cursor) uint64(dst *uint64) (present bool) {
	n, present := c.uint(64)
	*dst = n
	return present
}

func (c *cursor) uint32(dst *uint32) (present bool) {
	n, present := c.uint(32)
	*dst = uint32(n)
	return present
}

func (c *cursor) uint16(dst *uint16) (present bool) {
	n, present := c.uint(16)
	*dst = uint16(n)
	return present
}

func (c *cursor) uint8(dst *uint8) (present bool) {
	n, present := c.uint(8)
	*dst = uint8(n)
	return present
}

func (c *cursor) uint64Pointer() *uint64 {
	n, present := c.uint(64)
	if !present {
		return nil
	}
	return &n
}

func (c *cursor) uint32Pointer() *uint32 {
	var n uint32
	if !c.uint32(&n) {
		return nil
	}
	return &n
}

func (c *cursor) uint16Pointer() *uint16 {
	var n uint16
	if !c.uint16(&n) {
		return nil
	}
	return &n
}

func (c *cursor) uint8Pointer() *uint8 {
	var n uint8
	if !c.uint8(&n) {
		return nil
	}
	return &n
}

// amount reads a whole number from 0 to 2^128-1; nil for null.
func (c *cursor) amount() *big.Int { return c.big(u128Bits) }

// big reads a whole number of at most bits bits; nil for null.
func (c *cursor) big(bits int) *big.Int {
	text, present := c.digits("a whole number")
	if !present {
		return nil
	}
	b, ok := parseBig(text)
	if !ok || b.BitLen() > bits {
		c.wrong("a whole number of at most "+strconv.Itoa(bits)+" bits", text, nil)
		return nil
	}
	return b
}

// smallUint reads up to 19 plain digits, which is nearly every number there is.
func smallUint(text []byte) (n uint64, ok bool) {
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

// parseBig reads decimal digits, or a decimal number with fraction or exponent as long as it is whole (JavaScript
// writes 1e+21). Negative numbers are refused.
func parseBig(text []byte) (*big.Int, bool) {
	if n, ok := smallUint(text); ok {
		return new(big.Int).SetUint64(n), true
	}
	mantissa, exponent := text, 0
	if e := bytes.IndexAny(text, "eE"); e >= 0 {
		n, err := strconv.Atoi(string(text[e+1:]))
		if err != nil || n > mostDigits || n < -mostDigits {
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
	if exponent < 0 || len(digits) == 0 || len(digits)+exponent > mostDigits {
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
