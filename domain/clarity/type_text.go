package clarity

import (
	"strconv"

	"strata/domain/lossy"
)

// unknown stands for the part of a type that the value does not determine.
const unknown = "UnknownType"

// TypeText returns the type that existing APIs derive from a value alone, without the contract's interface. It has
// quirks: the length of a string-utf8 is four times its number of characters, and a list takes the type of its first
// element. The text of the zero Value is empty.
func (v Value) TypeText() string {
	return string(v.AppendTypeText(make([]byte, 0, min(len(v.raw), 512)+32)))
}

// AppendTypeText appends the text that TypeText returns to dst.
func (v Value) AppendTypeText(dst []byte) []byte {
	if v.IsZero() {
		return dst
	}
	dst, _ = appendTypeText(dst, v.raw)
	return dst
}

// appendTypeText appends the type of the first value of b. It also returns the bytes after that value.
func appendTypeText(dst, b []byte) (out, rest []byte) {
	prefix, b := TypeID(b[0]), b[1:]
	switch prefix {
	case TypeInt:
		return append(dst, "int"...), b[integerLength:]
	case TypeUint:
		return append(dst, "uint"...), b[integerLength:]
	case TypeTrue, TypeFalse:
		return append(dst, "bool"...), b
	case TypePrincipal:
		return append(dst, "principal"...), b[addressLength:]
	case TypeContractPrincipal:
		b = b[addressLength:]
		return append(dst, "principal"...), b[1+int(b[0]):]
	case TypeBuffer:
		content, rest := body(b)
		return appendSized(dst, "(buff ", len(content)), rest
	case TypeASCII:
		content, rest := body(b)
		return appendSized(dst, "(string-ascii ", len(content)), rest
	case TypeUTF8:
		content, rest := body(b)
		return appendSized(dst, "(string-utf8 ", 4*lossy.Count(content)), rest
	case TypeSome:
		dst, b = appendTypeText(append(dst, "(optional "...), b)
		return append(dst, ')'), b
	case TypeOk:
		dst, b = appendTypeText(append(dst, "(response "...), b)
		return append(append(dst, ' '), unknown+")"...), b
	case TypeErr:
		dst, b = appendTypeText(append(dst, "(response "+unknown+" "...), b)
		return append(dst, ')'), b
	case TypeList:
		n, b := count(b)
		dst = append(strconv.AppendInt(append(dst, "(list "...), int64(n), 10), ' ')
		if n == 0 {
			return append(dst, unknown+")"...), b
		}
		dst, b = appendTypeText(dst, b)
		for range n - 1 {
			b = skip(b)
		}
		return append(dst, ')'), b
	case TypeTuple:
		return appendTuple(dst, b, appendTypeText)
	default: // none: Decode lets nothing else through
		return append(dst, "(optional "+unknown+")"...), b
	}
}

func appendSized(dst []byte, open string, n int) []byte {
	return append(strconv.AppendInt(append(dst, open...), int64(n), 10), ')')
}
