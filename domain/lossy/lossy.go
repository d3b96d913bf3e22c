// Package lossy reads bytes that claim to be UTF-8 the way the Unicode standard recommends (section 3.9, "Substitution
// of Maximal Subparts"): each longest run of bytes that could have begun a character becomes one U+FFFD.
//
// The standard library has two other ways, one replacement a byte (range over a string) and one a run of bad bytes
// (strings.ToValidUTF8); what Stacks APIs show follows this one.
package lossy

import "unicode/utf8"

// Rune returns the first character of b and its length in bytes, or U+FFFD and the length of the ill-formed part that
// it stands for. It returns 0, 0 for an empty b. A genuine U+FFFD has length 3.
func Rune(b []byte) (r rune, size int) {
	if len(b) == 0 {
		return 0, 0
	}
	if r, size = utf8.DecodeRune(b); r == utf8.RuneError && size == 1 {
		return r, illFormed(b)
	}
	return r, size
}

// Append appends b to dst with each ill-formed part replaced.
func Append(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return append(dst, b...)
	}
	for len(b) > 0 {
		r, size := Rune(b)
		dst = utf8.AppendRune(dst, r)
		b = b[size:]
	}
	return dst
}

// String returns b as text with each ill-formed part replaced.
func String(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string(Append(make([]byte, 0, len(b)+8), b))
}

// Count returns the number of characters in what String returns.
func Count(b []byte) int {
	if utf8.Valid(b) {
		return utf8.RuneCount(b)
	}
	n := 0
	for ; len(b) > 0; n++ {
		_, size := Rune(b)
		b = b[size:]
	}
	return n
}

// illFormed is the length of the maximal subpart at the start of b, which starts no well-formed character
// (Unicode table 3-7).
func illFormed(b []byte) int {
	var length int                      // of the character that the first byte announces
	low, high := byte(0x80), byte(0xbf) // range of the second byte
	switch first := b[0]; {
	case first < 0xc2 || first > 0xf4:
		return 1
	case first < 0xe0:
		length = 2
	case first < 0xf0:
		length = 3
		switch first {
		case 0xe0:
			low = 0xa0 // below would be overlong
		case 0xed:
			high = 0x9f // above are surrogates
		}
	default:
		length = 4
		switch first {
		case 0xf0:
			low = 0x90
		case 0xf4:
			high = 0x8f // above is past U+10FFFF
		}
	}
	n := 1
	for n < length && n < len(b) && low <= b[n] && b[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}
