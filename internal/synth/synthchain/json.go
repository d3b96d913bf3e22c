package synthchain

import (
	"encoding/hex"
	"strconv"
)

// The functions below write compact JSON as nodes do, and escape only characters that must be escaped. Their callers
// write keys in byte order.

const hexDigits = "0123456789abcdef"

// appendText writes a JSON string.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b == '\n':
			dst = append(dst, `\n`...)
		case b == '\r':
			dst = append(dst, `\r`...)
		case b == '\t':
			dst = append(dst, `\t`...)
		case b == '\b':
			dst = append(dst, `\b`...)
		case b == '\f':
			dst = append(dst, `\f`...)
		case b < ' ':
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
		default:
			dst = append(dst, b)
		}
	}
	return append(dst, '"')
}

// appendHex writes bytes as a JSON string with 0x.
func appendHex(dst, b []byte) []byte {
	dst = append(dst, `"0x`...)
	dst = hex.AppendEncode(dst, b)
	return append(dst, '"')
}

// appendBareHex writes bytes as a JSON string without 0x.
func appendBareHex(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = hex.AppendEncode(dst, b)
	return append(dst, '"')
}

func appendNumber(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }

// appendAmount writes a number as a JSON string.
func appendAmount(dst []byte, n uint64) []byte {
	dst = append(dst, '"')
	dst = strconv.AppendUint(dst, n, 10)
	return append(dst, '"')
}

// appendKey writes the name of an object's member, which must not be the first one.
func appendKey(dst []byte, name string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}
