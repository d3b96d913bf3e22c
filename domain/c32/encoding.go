package c32

import (
	"errors"
	"fmt"
	"math/bits"
)

// alphabet holds the 32 digits. It leaves out I, L, O and U.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ErrCharacter is returned for a character that is neither a c32 digit in either case nor O, I or L.
var ErrCharacter = errors.New("not a c32 character")

// notADigit is the entry in digits for a byte that is not a digit.
const notADigit = 0xff

// digits maps each byte to its value as a digit. Upper and lower case are equal; O counts as 0, I and L as 1.
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
	accBits, next := 0, len(b)-1
	for i := len(dst) - 1; i >= start; i-- {
		if accBits < 5 && next >= 0 {
			acc |= uint32(b[next]) << accBits
			accBits += 8
			next--
		}
		dst[i] = alphabet[acc&31]
		acc >>= 5
		accBits -= 5
	}
	return dst
}

// measure returns the number of leading zero digits of s, and the fewest bytes that hold the number after them.
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

// fill writes the number in s right-aligned into b. The caller has checked the digits with measure.
func fill(b []byte, s string) {
	var acc uint32
	accBits := 0
	next := len(b)
	for i := len(s) - 1; i >= 0 && next > 0; i-- {
		acc |= uint32(digits[s[i]]) << accBits
		if accBits += 5; accBits >= 8 {
			next--
			b[next] = byte(acc)
			acc >>= 8
			accBits -= 8
		}
	}
	if acc > 0 && next > 0 {
		b[next-1] = byte(acc)
	}
}
