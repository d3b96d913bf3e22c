package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Kind is the outermost part of a type.
type Kind byte

// The kinds of types.
const (
	Future Kind = iota // a type that this package does not know
	None               // no information, such as the error side of a response that never fails
	Int
	Uint
	Bool
	Principal
	TraitReference
	Buffer
	StringASCII
	StringUTF8
	Optional
	Response
	List
	Tuple
)

// maxDepth is the greatest nesting depth of the types of a contract. A deeper type becomes Future.
const maxDepth = 32

var atoms = map[string]Kind{
	"none":            None,
	"int128":          Int,
	"uint128":         Uint,
	"bool":            Bool,
	"principal":       Principal,
	"trait_reference": TraitReference,
}

// Type is a Clarity type as an interface describes it. It keeps its JSON and marshals to it unchanged.
type Type struct {
	Kind   Kind
	Length uint32  // bytes of a buffer, elements of a list, characters of a string
	Parts  []Type  // the inner type of an optional or list; the ok and error types of a response
	Fields []Field // of a tuple

	raw json.RawMessage
}

// Field is a field of a tuple type.
type Field struct {
	Name string
	Type Type
}

// UnmarshalJSON parses a type. It fails only for input that is not JSON: an unknown type becomes Future.
func (t *Type) UnmarshalJSON(b []byte) error {
	if kind, ok := atoms[string(bytes.Trim(b, `"`))]; ok { // most types are atoms
		*t = Type{Kind: kind, raw: bytes.Clone(b)}
		return nil
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return fmt.Errorf("contract type: %w", err)
	}
	parsed, ok := typeOf(tree, 0)
	if !ok {
		parsed = Type{Kind: Future}
	}
	parsed.raw = bytes.Clone(b)
	*t = parsed
	return nil
}

// MarshalJSON returns the JSON that the type was parsed from, or null for the zero Type, which was absent from its
// input.
func (t Type) MarshalJSON() ([]byte, error) {
	if t.raw == nil && t.Kind == Future {
		return []byte("null"), nil
	}
	if t.raw == nil {
		return nil, fmt.Errorf("contract type %s has no JSON, because it was not parsed from an interface", t)
	}
	return t.raw, nil
}

// typeOf returns the type that a JSON tree describes, or false for a type that this package does not know.
func typeOf(tree any, level int) (Type, bool) {
	if level >= maxDepth {
		return Type{}, false
	}
	if atom, ok := tree.(string); ok {
		kind, ok := atoms[atom]
		return Type{Kind: kind}, ok
	}
	object, ok := tree.(map[string]any)
	if !ok || len(object) != 1 {
		return Type{}, false
	}
	for name, inner := range object {
		switch name {
		case "buffer":
			return sized(Buffer, inner)
		case "string-ascii":
			return sized(StringASCII, inner)
		case "string-utf8":
			return sized(StringUTF8, inner)
		case "optional":
			return composed(Type{Kind: Optional}, level, inner)
		case "response":
			sides, ok := inner.(map[string]any)
			if !ok {
				return Type{}, false
			}
			return composed(Type{Kind: Response}, level, sides["ok"], sides["error"])
		case "list":
			t, ok := sized(List, inner)
			if !ok {
				return Type{}, false
			}
			return composed(t, level, inner.(map[string]any)["type"])
		case "tuple":
			return tuple(inner, level)
		}
	}
	return Type{}, false
}

// sized returns a type with the length from {"length": n}.
func sized(kind Kind, tree any) (Type, bool) {
	object, ok := tree.(map[string]any)
	if !ok {
		return Type{}, false
	}
	n, ok := object["length"].(float64) // exact up to 2^53
	return Type{Kind: kind, Length: uint32(n)}, ok && n >= 0 && n <= math.MaxUint32 && n == math.Trunc(n)
}

// composed returns t with the types of its parts added.
func composed(t Type, level int, parts ...any) (Type, bool) {
	for _, part := range parts {
		inner, ok := typeOf(part, level+1)
		if !ok {
			return Type{}, false
		}
		t.Parts = append(t.Parts, inner)
	}
	return t, true
}

func tuple(tree any, level int) (Type, bool) {
	fields, ok := tree.([]any)
	if !ok {
		return Type{}, false
	}
	t := Type{Kind: Tuple}
	for _, field := range fields {
		object, ok := field.(map[string]any)
		if !ok {
			return Type{}, false
		}
		name, ok := object["name"].(string)
		if !ok {
			return Type{}, false
		}
		inner, ok := typeOf(object["type"], level+1)
		if !ok {
			return Type{}, false
		}
		t.Fields = append(t.Fields, Field{Name: name, Type: inner})
	}
	return t, true
}

// String returns the type as Clarity text, such as (response bool uint). The text of a Future type is its JSON, and
// that of the zero Type is empty.
func (t Type) String() string { return string(t.appendTo(nil)) }

func (t Type) appendTo(dst []byte) []byte {
	switch t.Kind {
	case None:
		return append(dst, "none"...)
	case Int:
		return append(dst, "int"...)
	case Uint:
		return append(dst, "uint"...)
	case Bool:
		return append(dst, "bool"...)
	case Principal:
		return append(dst, "principal"...)
	case TraitReference:
		return append(dst, "trait_reference"...)
	case Buffer:
		return t.appendSized(dst, "(buff ")
	case StringASCII:
		return t.appendSized(dst, "(string-ascii ")
	case StringUTF8:
		return t.appendSized(dst, "(string-utf8 ")
	case Optional:
		return t.appendParts(append(dst, "(optional"...))
	case Response:
		return t.appendParts(append(dst, "(response"...))
	case List:
		return t.appendParts(strconv.AppendUint(append(dst, "(list "...), uint64(t.Length), 10))
	case Tuple:
		dst = append(dst, "(tuple"...)
		for _, field := range t.Fields {
			dst = append(append(append(dst, " ("...), field.Name...), ' ')
			dst = append(field.Type.appendTo(dst), ')')
		}
		return append(dst, ')')
	}
	return append(dst, bytes.Trim(t.raw, `"`)...)
}

func (t Type) appendSized(dst []byte, open string) []byte {
	return append(strconv.AppendUint(append(dst, open...), uint64(t.Length), 10), ')')
}

func (t Type) appendParts(dst []byte) []byte {
	for _, part := range t.Parts {
		dst = part.appendTo(append(dst, ' '))
	}
	return append(dst, ')')
}
