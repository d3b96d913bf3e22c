package clarity

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// shape is what decides whether values can be elements of one list: a type without its lengths.
type shape struct {
	kind  kind
	names []string // of a tuple, sorted
	parts []shape  // of an optional or list one, of a response two (ok, err), of a tuple one a name
}

type kind byte

const (
	kindUnknown kind = iota // nothing is known: inside none, an empty list, the other side of a response
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

// shapeOf returns the shape of the value at b[at:], which has the form Decode checks, and where it ends. It fails
// where a node would: on illegal characters and names, duplicate keys, and lists without a common type.
func shapeOf(b []byte, at int) (shape, int, error) {
	prefix := TypeID(b[at])
	inside := at + 1
	switch prefix {
	case TypeNone:
		return shape{kind: kindOptional, parts: []shape{{}}}, inside, nil
	case TypeSome:
		inner, end, err := shapeOf(b, inside)
		return shape{kind: kindOptional, parts: []shape{inner}}, end, err
	case TypeOk:
		inner, end, err := shapeOf(b, inside)
		return shape{kind: kindResponse, parts: []shape{inner, {}}}, end, err
	case TypeErr:
		inner, end, err := shapeOf(b, inside)
		return shape{kind: kindResponse, parts: []shape{{}, inner}}, end, err
	case TypeList:
		return shapeOfList(b, inside)
	case TypeTuple:
		return shapeOfTuple(b, inside)
	}
	end := len(b) - len(skip(b[at:]))
	switch prefix {
	case TypeASCII:
		if i := illegalASCII(string(b[inside+countLength : end])); i >= 0 {
			return shape{}, 0, fail(inside+countLength+i, ErrText)
		}
	case TypeUTF8:
		if !utf8.Valid(b[inside+countLength : end]) {
			return shape{}, 0, fail(inside+countLength, ErrText)
		}
	case TypeContractPrincipal:
		if name := inside + addressLength; !IsContractName(string(b[name+1 : end])) {
			return shape{}, 0, fail(name, ErrName)
		}
	}
	return shape{kind: leafKinds[prefix]}, end, nil
}

func shapeOfList(b []byte, at int) (shape, int, error) {
	n, _ := count(b[at:])
	at += countLength
	var common shape
	for range n {
		one, end, err := shapeOf(b, at)
		if err != nil {
			return shape{}, 0, err
		}
		var ok bool
		if common, ok = merge(common, one); !ok {
			return shape{}, 0, fail(at, ErrListType)
		}
		at = end
	}
	return shape{kind: kindList, parts: []shape{common}}, at, nil
}

func shapeOfTuple(b []byte, at int) (shape, int, error) {
	type field struct {
		name  string
		at    int
		shape shape
	}
	n, _ := count(b[at:])
	at += countLength
	var fields []field
	for range n {
		f := field{name: string(nameAt(b[at:])), at: at}
		if !IsName(f.name) {
			return shape{}, 0, fail(at, ErrName)
		}
		var err error
		if f.shape, at, err = shapeOf(b, at+1+len(f.name)); err != nil {
			return shape{}, 0, err
		}
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	tuple := shape{kind: kindTuple}
	for i, f := range fields {
		if i > 0 && fields[i-1].name == f.name {
			return shape{}, 0, fail(f.at, ErrDuplicateKey)
		}
		tuple.names = append(tuple.names, f.name)
		tuple.parts = append(tuple.parts, f.shape)
	}
	return tuple, at, nil
}

// merge returns the shape that both can have, or false.
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

// illegalASCII returns the index of the first character that no string-ascii may hold, or -1.
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
