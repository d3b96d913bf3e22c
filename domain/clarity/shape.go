package clarity

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// shape is a type without its lengths. Values can be elements of the same list if their shapes merge.
type shape struct {
	kind  kind
	names []string // of a tuple, sorted
	parts []shape  // one of an optional or list, two of a response (ok, err), one for each name of a tuple
}

type kind byte

const (
	kindUnknown kind = iota // nothing is known: inside none or an empty list, or on the other side of a response
	kindInt
	kindUint
	kindBool
	kindBuffer
	kindASCII
	kindUTF8
	kindPrincipal
	kindOptional
	kindResponse
	kindList
	kindTuple
)

var leafKinds = map[TypeID]kind{
	TypeInt:               kindInt,
	TypeUint:              kindUint,
	TypeBuffer:            kindBuffer,
	TypeTrue:              kindBool,
	TypeFalse:             kindBool,
	TypePrincipal:         kindPrincipal,
	TypeContractPrincipal: kindPrincipal,
	TypeASCII:             kindASCII,
	TypeUTF8:              kindUTF8,
}

// shapeOf returns the shape of the value at b[pos:] and the position after it. The caller has checked the value as
// Decode does. Like a node, shapeOf fails on illegal characters and names, duplicate keys, and lists without a common
// type.
func shapeOf(b []byte, pos int) (shape, int, error) {
	prefix := TypeID(b[pos])
	contentPos := pos + 1
	switch prefix {
	case TypeNone:
		return shape{kind: kindOptional, parts: []shape{{}}}, contentPos, nil
	case TypeSome:
		inner, end, err := shapeOf(b, contentPos)
		return shape{kind: kindOptional, parts: []shape{inner}}, end, err
	case TypeOk:
		inner, end, err := shapeOf(b, contentPos)
		return shape{kind: kindResponse, parts: []shape{inner, {}}}, end, err
	case TypeErr:
		inner, end, err := shapeOf(b, contentPos)
		return shape{kind: kindResponse, parts: []shape{{}, inner}}, end, err
	case TypeList:
		return shapeOfList(b, contentPos)
	case TypeTuple:
		return shapeOfTuple(b, contentPos)
	}
	end := len(b) - len(skip(b[pos:]))
	switch prefix {
	case TypeASCII:
		if i := illegalASCII(string(b[contentPos+countLength : end])); i >= 0 {
			return shape{}, 0, errorAt(contentPos+countLength+i, ErrText)
		}
	case TypeUTF8:
		if !utf8.Valid(b[contentPos+countLength : end]) {
			return shape{}, 0, errorAt(contentPos+countLength, ErrText)
		}
	case TypeContractPrincipal:
		if name := contentPos + addressLength; !IsContractName(string(b[name+1 : end])) {
			return shape{}, 0, errorAt(name, ErrName)
		}
	}
	return shape{kind: leafKinds[prefix]}, end, nil
}

func shapeOfList(b []byte, pos int) (shape, int, error) {
	n, _ := count(b[pos:])
	pos += countLength
	var common shape
	for range n {
		one, end, err := shapeOf(b, pos)
		if err != nil {
			return shape{}, 0, err
		}
		var ok bool
		if common, ok = merge(common, one); !ok {
			return shape{}, 0, errorAt(pos, ErrListType)
		}
		pos = end
	}
	return shape{kind: kindList, parts: []shape{common}}, pos, nil
}

func shapeOfTuple(b []byte, pos int) (shape, int, error) {
	type field struct {
		name  string
		pos   int
		shape shape
	}
	n, _ := count(b[pos:])
	pos += countLength
	var fields []field
	for range n {
		f := field{name: string(nameAt(b[pos:])), pos: pos}
		if !IsName(f.name) {
			return shape{}, 0, errorAt(pos, ErrName)
		}
		var err error
		if f.shape, pos, err = shapeOf(b, pos+1+len(f.name)); err != nil {
			return shape{}, 0, err
		}
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	tuple := shape{kind: kindTuple}
	for i, f := range fields {
		if i > 0 && fields[i-1].name == f.name {
			return shape{}, 0, errorAt(f.pos, ErrDuplicateKey)
		}
		tuple.names = append(tuple.names, f.name)
		tuple.parts = append(tuple.parts, f.shape)
	}
	return tuple, pos, nil
}

// merge returns the shape that values of both shapes have in common, or false if there is none.
func merge(a, b shape) (shape, bool) {
	switch {
	case a.kind == kindUnknown:
		return b, true
	case b.kind == kindUnknown:
		return a, true
	case a.kind != b.kind || len(a.parts) != len(b.parts) || !slices.Equal(a.names, b.names):
		return shape{}, false
	case len(a.parts) == 0:
		return a, true
	}
	merged := shape{kind: a.kind, names: a.names, parts: make([]shape, len(a.parts))}
	for i := range a.parts {
		var ok bool
		if merged.parts[i], ok = merge(a.parts[i], b.parts[i]); !ok {
			return shape{}, false
		}
	}
	return merged, true
}

// illegalASCII returns the index of the first character that a string-ascii may not hold, or -1.
func illegalASCII(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case 0x20 <= c && c <= 0x7e, c == '\t', c == '\n', c == '\f', c == '\r':
		default:
			return i
		}
	}
	return -1
}
