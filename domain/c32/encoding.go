package c32

import (
	"errors"
	"fmt"
	"math/bits"
)

// alphabet holds the 32 digits: no I, L, O or U.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ErrCharacter is returned for a character that is no c32 digit, in either case, nor O, I or L.
var ErrCharacter = errors.New("not a c32 character")

// notADigit marks the bytes that digits refuses.
const notADigit = 0xff

// digits maps a byte to its value: upper and lower case, O read as 0, I and L read as 1.
var digits = func() (table [256]byte) {
	for i := range table {
		table[i] = notADigit
	}
	set := func(c, value byte) {
		table[c] = value
		if c >= 'A' {
			table[c+'a'-'A'] = value
		}
	}
	for value := range len(alphabet) {
		set(alphabet[value], byte(value))
	}
	set('O', 0)
	set('I', 1)
	set('L', 1)
	return table
}()

// Encode writes b, read as one big-endian number, in c32 digits without leading zero digits, preceded by one 0 for
// each leading zero byte of b (SIP-005).
func Encode(b []byte) string {
	return string(appendEncoded(make([]byte, 0, encodedLen(len(b))), b))
}

// Decode reverses Encode: the number in its fewest bytes, preceded by one zero byte for each leading 0 of s. Lower
// case is accepted, O is read as 0, I and L as 1. It returns ErrCharacter for anything else.
func Decode(s string) ([]byte, error) {
	zeros, n, err := measure(s)
	if err != nil {
		return nil, err
	}
	b := make([]byte, zeros+n)
	fill(b, s)
	return b, nil
}

// encodedLen is the most digits that n bytes take.
func encodedLen(n int) int { return (n*8 + 4) / 5 }

func appendEncoded(dst, b []byte) []byte {
	for len(b) > 0 && b[0] == 0 {
		dst = append(dst, alphabet[0])
		b = b[1:]
	}
	if len(b) == 0 {
		return dst
	}
	start := len(dst)
	dst = append(dst, make([]byte, ((len(b)-1)*8+bits.Len8(b[0])+4)/5)...)
	var acc uint32
	have, next := 0, len(b)-1
	for at := len(dst) - 1; at >= start; at-- {
		if have < 5 && next >= 0 {
			acc |= uint32(b[next]) << have
			have += 8
			next--
		}
		dst[at] = alphabet[acc&31]
		acc >>= 5
		have -= 5
	}
	return dst
}

// measure returns the number of leading zero digits and the fewest bytes that hold the number.
func measure(s string) (zeros, n int, err error) {
	for i := range len(s) {
		if digits[s[i]] == notADigit {
			return 0, 0, fmt.Errorf("%q at %d: %w", s[i], i, ErrCharacter)
		}
	}
	for zeros < len(s) && digits[s[zeros]] == 0 {
		zeros++
	}
	if rest := len(s) - zeros; rest > 0 {
		n = ((rest-1)*5 + bits.Len8(digits[s[zeros]]) + 7) / 8
	}
	return zeros, n, nil
}

// fill writes the number in s, whose digits measure has checked, right-aligned into b.
func fill(b []byte, s string) {
	var acc uint32
	have := 0
	at := len(b)
	for i := len(s) - 1; i >= 0 && at > 0; i-- {
		acc |= uint32(digits[s[i]]) << have
		if have += 5; have >= 8 {
			at--
			b[at] = byte(acc)
			acc >>= 8
			have -= 8
		}
	}
	if acc > 0 && at > 0 {
		b[at-1] = byte(acc)
	}
}
