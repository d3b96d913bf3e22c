package nodejson

import (
	"cmp"
	"encoding/hex"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"strata/domain/hash"
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

// object is an object that is being written, up to its end.
type object []byte

// newObject begins an object after dst.
func newObject(dst []byte) object { return append(dst, '{') }

// end closes the object.
func (o object) end() []byte { return append(o, '}') }

// key writes the name of a member, whose value the caller appends.
func (o object) key(name string) object {
	if o[len(o)-1] != '{' {
		o = append(o, ',')
	}
	o = append(o, '"')
	o = append(o, name...)
	return append(o, '"', ':')
}

func (o object) text(name, s string) object             { return appendText(o.key(name), s) }
func (o object) hex(name string, b []byte) object       { return appendHex(o.key(name), b) }
func (o object) bareHex(name string, b []byte) object   { return appendBareHex(o.key(name), b) }
func (o object) number(name string, n uint64) object    { return appendNumber(o.key(name), n) }
func (o object) hash(name string, h hash.Hash32) object { return appendHex(o.key(name), h[:]) }
func (o object) amount(name string, n uint64) object {
	return append(appendNumber(append(o.key(name), '"'), n), '"')
}                                                     // a number in a text
func (o object) raw(name string, json ...byte) object { return append(o.key(name), json...) }
func (o object) object(name string, json string) object {
	return append(o.key(name), cmp.Or(json, "null")...)
}                                                // null for an empty text
func (o object) bool(name string, b bool) object { return strconv.AppendBool(o.key(name), b) }

// list writes an array of n elements.
func (o object) list(name string, n int, element func(dst []byte, i int) []byte) object {
	return appendList(o.key(name), n, element)
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
