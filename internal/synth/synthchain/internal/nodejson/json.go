package nodejson

import (
	"encoding/hex"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"strata/internal/synth/value"
)

// The functions below write compact JSON as nodes do, and escape only characters that must be escaped. Their callers
// write keys in byte order.

// appendText writes a JSON string.
func appendText(dst []byte, s string) []byte { return value.Must(jsontext.AppendQuote(dst, s)) }

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

// appendObject writes an encoded object, or null if it is empty.
func appendObject(dst []byte, object string) []byte {
	if object == "" {
		return append(dst, "null"...)
	}
	return append(dst, object...)
}

// appendList writes an array of n elements.
func appendList(dst []byte, n int, element func(dst []byte, i int) []byte) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, i)
	}
	return append(dst, ']')
}
