package clarity

import (
	"encoding/binary"
	"math/bits"
	"strconv"
)

const (
	// tenTo19 is the largest power of ten that fits in 64 bits.
	tenTo19 = 10_000_000_000_000_000_000
	digits  = 19 // below tenTo19
)

// appendDecimal appends the decimal digits of the int or uint in the first 16 bytes of b.
func appendDecimal(dst []byte, prefix TypeID, b []byte) []byte {
	hi, lo := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	if prefix == TypeInt && int64(hi) < 0 {
		dst = append(dst, '-')
		hi, lo = negate(hi, lo)
	}
	if hi == 0 {
		return strconv.AppendUint(dst, lo, 10)
	}
	// 2^128 has 39 digits: two long divisions by 10^19 leave at most one digit in front.
	top, carry := hi/tenTo19, hi%tenTo19
	middle, low := bits.Div64(carry, lo, tenTo19)
	first, second := bits.Div64(top, middle, tenTo19)
	if first > 0 {
		dst = appendPadded(strconv.AppendUint(dst, first, 10), second)
	} else {
		dst = strconv.AppendUint(dst, second, 10)
	}
	return appendPadded(dst, low)
}

// appendPadded appends n as 19 digits.
func appendPadded(dst []byte, n uint64) []byte {
	var b [digits + 1]byte
	text := strconv.AppendUint(b[:0], n, 10)
	for range digits - len(text) {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// negate returns the two's complement of the 128-bit number in hi and lo.
func negate(hi, lo uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(0, lo, 0)
	hi, _ = bits.Sub64(0, hi, borrow)
	return hi, lo
}
