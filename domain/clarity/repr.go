package clarity

import (
	"encoding/hex"

	"strata/domain/lossy"
)

const lowerHex = "0123456789abcdef"

// Repr returns the value as APIs show it. It differs from what a node prints: principals have an apostrophe in front,
// lists start with the word list, tuple keys are in byte order, and \u{…} in string-utf8 holds the UTF-8 bytes of a
// character, not its code point. The zero Value is "".
func (v Value) Repr() string {
	return string(v.AppendRepr(make([]byte, 0, 2*len(v.raw)+16)))
}

// AppendRepr appends what Repr returns to dst.
func (v Value) AppendRepr(dst []byte) []byte {
	if v.IsZero() {
		return dst
	}
	dst, _ = appendRepr(dst, v.raw)
	return dst
}

// appendRepr shows the first value of b and returns what follows it.
func appendRepr(dst, b []byte) (out, rest []byte) {
	prefix, b := TypeID(b[0]), b[1:]
	switch prefix {
	case TypeInt:
		return appendDecimal(dst, prefix, b), b[integerLength:]
	case TypeUint:
		return appendDecimal(append(dst, 'u'), prefix, b), b[integerLength:]
	case TypeBuffer:
		content, rest := body(b)
		return appendHex(dst, content), rest
	case TypeTrue:
		return append(dst, "true"...), b
	case TypeFalse:
		return append(dst, "false"...), b
	case TypePrincipal:
		return address(b).AppendTo(append(dst, '\'')), b[addressLength:]
	case TypeContractPrincipal:
		dst = append(address(b).AppendTo(append(dst, '\'')), '.')
		name := nameAt(b[addressLength:])
		return append(dst, name...), b[addressLength+1+len(name):]
	case TypeOk:
		dst, b = appendRepr(append(dst, "(ok "...), b)
		return append(dst, ')'), b
	case TypeErr:
		dst, b = appendRepr(append(dst, "(err "...), b)
		return append(dst, ')'), b
	case TypeSome:
		dst, b = appendRepr(append(dst, "(some "...), b)
		return append(dst, ')'), b
	case TypeList:
		n, b := count(b)
		dst = append(dst, "(list"...)
		for range n {
			dst, b = appendRepr(append(dst, ' '), b)
		}
		return append(dst, ')'), b
	case TypeTuple:
		return appendTupleRepr(dst, b)
	case TypeASCII:
		content, rest := body(b)
		return appendASCII(dst, content), rest
	case TypeUTF8:
		content, rest := body(b)
		return appendUTF8(dst, content), rest
	default: // Decode lets nothing else than none through
		return append(dst, "none"...), b
	}
}

func appendTupleRepr(dst, b []byte) (out, rest []byte) {
	n, b := count(b)
	fields, rest := reorder(b, n)
	dst = append(dst, "(tuple"...)
	if fields == nil {
		for range n {
			dst, b = appendFieldRepr(dst, b)
		}
	}
	for _, field := range fields {
		dst, _ = appendFieldRepr(dst, field)
	}
	return append(dst, ')'), rest
}

func appendFieldRepr(dst, b []byte) (out, rest []byte) {
	name := nameAt(b)
	dst = append(append(append(dst, " ("...), name...), ' ')
	dst, rest = appendRepr(dst, b[1+len(name):])
	return append(dst, ')'), rest
}

func appendASCII(dst, content []byte) []byte {
	dst = append(dst, '"')
	for _, c := range content {
		dst = appendEscaped(dst, c)
	}
	return append(dst, '"')
}

func appendUTF8(dst, content []byte) []byte {
	dst = append(dst, 'u', '"')
	for len(content) > 0 {
		r, size := lossy.Rune(content)
		switch {
		case size == 1 && r < 0x80:
			dst = appendEscaped(dst, content[0])
		case r == '\uFFFD': // genuine or standing for an ill-formed part
			dst = append(dst, `\u{efbfbd}`...)
		default:
			dst = append(hex.AppendEncode(append(dst, `\u{`...), content[:size]), '}')
		}
		content = content[size:]
	}
	return append(dst, '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '\t':
		return append(dst, `\t`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\'', '"', '\\':
		return append(dst, '\\', c)
	}
	if c < 0x20 || c > 0x7e {
		return append(dst, '\\', 'x', lowerHex[c>>4], lowerHex[c&15])
	}
	return append(dst, c)
}
