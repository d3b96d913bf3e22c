package clarity

import (
	"encoding/hex"

	"strata/domain/lossy"
)

const lowerHex = "0123456789abcdef"

// Repr returns the value as text, as existing APIs show it. It differs from the text of a node: principals have a
// leading apostrophe, lists start with the word list, tuple keys are in byte order, and \u{…} in a string-utf8 holds
// the UTF-8 bytes of a character, not its code point. The text of the zero Value is empty.
func (v Value) Repr() string {
	return string(v.AppendRepr(make([]byte, 0, 2*len(v.raw)+16)))
}

// AppendRepr appends the text that Repr returns to dst.
func (v Value) AppendRepr(dst []byte) []byte {
	if v.IsZero() {
		return dst
	}
	dst, _ = appendRepr(dst, v.raw)
	return dst
}

// appendRepr appends the text of the first value of b. It also returns the bytes after that value.
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
		return appendTuple(dst, b, appendRepr)
	case TypeASCII:
		content, rest := body(b)
		return appendASCII(dst, content), rest
	case TypeUTF8:
		content, rest := body(b)
		return appendUTF8(dst, content), rest
	default: // none: Decode lets nothing else through
		return append(dst, "none"...), b
	}
}

// appender appends some text of the first value of b. It also returns the bytes after that value.
type appender func(dst, b []byte) (out, rest []byte)

// appendTuple appends (tuple (name …) …) for the tuple whose count starts b. The text of each field's value comes from
// appendValue. It also returns the bytes after the tuple.
func appendTuple(dst, b []byte, appendValue appender) (out, rest []byte) {
	n, b := count(b)
	fields, rest := fieldsByName(b, n)
	dst = append(dst, "(tuple"...)
	if fields == nil {
		for range n {
			dst, b = appendField(dst, b, appendValue)
		}
	}
	for _, field := range fields {
		dst, _ = appendField(dst, field, appendValue)
	}
	return append(dst, ')'), rest
}

func appendField(dst, b []byte, appendValue appender) (out, rest []byte) {
	name := nameAt(b)
	dst = append(append(append(dst, " ("...), name...), ' ')
	dst, rest = appendValue(dst, b[1+len(name):])
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
		case r == '\uFFFD': // genuine, or in place of an ill-formed part
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
