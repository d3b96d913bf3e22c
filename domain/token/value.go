package token

import (
	"math/big"
	"strings"

	"strata/domain/clarity"
)

// unwrap removes any nesting of ok and some.
func unwrap(v clarity.Value) clarity.Value {
	for v.Type() == clarity.TypeOk || v.Type() == clarity.TypeSome {
		v, _ = v.Inner()
	}
	return v
}

// textOf returns a string, nil for none, and false for anything else.
func textOf(v clarity.Value) (*string, bool) {
	v = unwrap(v)
	switch v.Type() {
	case clarity.TypeNone:
		return nil, true
	case clarity.TypeASCII, clarity.TypeUTF8:
		const header = 1 + 4 // type and length (SIP-005)
		s := storable(string(v.Raw()[header:]))
		return &s, true
	}
	return nil, false
}

// numberOf returns a uint, nil for none, and false for anything else.
func numberOf(v clarity.Value) (*big.Int, bool) {
	v = unwrap(v)
	switch v.Type() {
	case clarity.TypeNone:
		return nil, true
	case clarity.TypeUint:
		return v.Int()
	}
	return nil, false
}

// storable removes what a text in Postgres cannot hold: NUL, and bytes that are not UTF-8, such as half of a surrogate
// pair.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "")
}

// wordOf returns a keyword of a print, and false for other types. Contracts write keywords as strings or as buffers.
func wordOf(v clarity.Value) (string, bool) {
	if b, ok := v.Buffer(); ok {
		return string(b), true
	}
	return v.Text()
}
