package document

import (
	"fmt"
	"strings"
)

// percentDecode replaces each "%" with two hexadecimal digits by the byte that they encode (RFC 3986 section 2.1). It
// keeps any other "%", because people write "100%".
func percentDecode(s string) []byte {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if !isPercentEncoded(s[i:]) {
			b = append(b, s[i])
			continue
		}
		b = append(b, hexDigit(s[i+1])<<4|hexDigit(s[i+2]))
		i += 2
	}
	return b
}

// percentEncode encodes what the path or query of a URI must not have, but often has: blanks, characters that are not
// ASCII, and a "%" that encodes nothing. It does not change a valid path or query.
func percentEncode(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 || c == '%' && !isPercentEncoded(s[i:]) {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isPercentEncoded(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHexDigit(s[1]) && isHexDigit(s[2])
}

func isHexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func hexDigit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
