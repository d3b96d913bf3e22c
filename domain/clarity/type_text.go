package clarity

import (
	"strconv"

	"strata/domain/lossy"
)

// unknown stands for the side of a type that the value says nothing about.
const unknown = "UnknownType"

// TypeText returns the type that existing APIs derive from a value alone, without the contract's interface. It has
// quirks: the length of a string-utf8 is four times its characters, and a list shows the type of its first element.
// The zero Value is "".
func (v Value) TypeText() string {
	return string(v.AppendTypeText(make([]byte, 0, min(len(v.raw), 512)+32)))
}

// AppendTypeText appends what TypeText returns to dst.
func (v Value) AppendTypeText(dst []byte) []byte {
	if v.IsZero() {
		return dst
	}
	dst, _ = appendTypeText(dst, v.raw)
	return dst
}

// appendTypeText shows the type of the first value of b and returns what follows that value.
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
		return appendTupleTypeText(dst, b)
	default: // Decode lets nothing else than none through
		return append(dst, "(optional "+unknown+")"...), b
	}
}

func appendTupleTypeText(dst, b []byte) (out, rest []byte) {
	n, b := count(b)
	fields, rest := reorder(b, n)
	dst = append(dst, "(tuple"...)
	if fields == nil {
		for range n {
			dst, b = appendFieldTypeText(dst, b)
		}
	}
	for _, field := range fields {
		dst, _ = appendFieldTypeText(dst, field)
	}
	return append(dst, ')'), rest
}

func appendFieldTypeText(dst, b []byte) (out, rest []byte) {
	name := nameAt(b)
	dst = append(append(append(dst, " ("...), name...), ' ')
	dst, rest = appendTypeText(dst, b[1+len(name):])
	return append(dst, ')'), rest
}

func appendSized(dst []byte, open string, n int) []byte {
	return append(strconv.AppendInt(append(dst, open...), int64(n), 10), ')')
}
