// Package lossy decodes possibly ill-formed UTF-8 as the Unicode standard recommends (section 3.9, "Substitution of
// Maximal Subparts"): each longest run of bytes that could have begun a character becomes one U+FFFD.
//
// Existing Stacks APIs show text in this way. The standard library differs: a range over a string yields one
// replacement for each bad byte, and strings.ToValidUTF8 yields one for each run of bad bytes.
package lossy

import "unicode/utf8"

// Rune returns the first character of b and its length in bytes. For an ill-formed part it returns U+FFFD and the
// length of that part, 1 to 3 bytes; a genuine U+FFFD also has length 3. It returns 0, 0 for an empty b.
func Rune(b []byte) (r rune, size int) {
	if len(b) == 0 {
		return 0, 0
	}
	if r, size = utf8.DecodeRune(b); r == utf8.RuneError && size == 1 {
		return r, illFormedLength(b)
	}
	return r, size
}

// Append appends b to dst, with U+FFFD in place of each ill-formed part.
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

// String returns b as text, with U+FFFD in place of each ill-formed part.
func String(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string(Append(make([]byte, 0, len(b)+8), b))
}

// Count returns the number of characters in the text that String returns.
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

// illFormedLength returns the length in bytes of the maximal subpart at the start of b (Unicode table 3-7). The caller
// knows that b does not start with a well-formed character.
func illFormedLength(b []byte) int {
	var length int                      // bytes of the character that the first byte announces
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
			low = 0xa0 // lower would be overlong
		case 0xed:
			high = 0x9f // higher would be a surrogate
		}
	default:
		length = 4
		switch first {
		case 0xf0:
			low = 0x90 // lower would be overlong
		case 0xf4:
			high = 0x8f // higher would be past U+10FFFF
		}
	}
	n := 1
	for n < length && n < len(b) && low <= b[n] && b[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}
