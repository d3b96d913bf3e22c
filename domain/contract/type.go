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

// The kinds of types. Future is one that this package does not know.
const (
	Future Kind = iota
	None        // no information, such as the error side of a response that never fails
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

// maxDepth is how deep the types of a contract nest at most; what is deeper is Future.
const maxDepth = 32

var atoms = map[string]Kind{
	"none":            None,
	"int128":          Int,
	"uint128":         Uint,
	"bool":            Bool,
	"principal":       Principal,
	"trait_reference": TraitReference,
}

// Type is a Clarity type as an interface describes it. Its JSON is kept as it came, so it marshals unchanged.
type Type struct {
	Kind   Kind
	Length uint32  // of a buffer or list, bytes of a string-ascii, characters of a string-utf8
	Parts  []Type  // what an optional or list holds; ok and error of a response
	Fields []Field // of a tuple

	raw json.RawMessage
}

// Field is an entry of a tuple type.
type Field struct {
	Name string
	Type Type
}

// UnmarshalJSON reads a type. It fails on what is not JSON only: a type that is not understood becomes Future.
func (t *Type) UnmarshalJSON(b []byte) error {
	if kind, ok := atoms[string(bytes.Trim(b, `"`))]; ok { // most types are atoms
		*t = Type{Kind: kind, raw: bytes.Clone(b)}
		return nil
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return fmt.Errorf("contract type: %w", err)
	}
	read, ok := typeOf(tree, 0)
	if !ok {
		read = Type{Kind: Future}
	}
	read.raw = bytes.Clone(b)
	*t = read
	return nil
}

// MarshalJSON returns the JSON that the type was read from; null for the zero Type, which was absent there.
func (t Type) MarshalJSON() ([]byte, error) {
	if t.raw == nil && t.Kind == Future {
		return []byte("null"), nil
	}
	if t.raw == nil {
		return nil, fmt.Errorf("contract type %s was not read from an interface and has no JSON", t)
	}
	return t.raw, nil
}

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

// sized reads {"length": n}.
func sized(kind Kind, tree any) (Type, bool) {
	object, ok := tree.(map[string]any)
	if !ok {
		return Type{}, false
	}
	n, ok := object["length"].(float64) // exact up to 2^53
	return Type{Kind: kind, Length: uint32(n)}, ok && n >= 0 && n <= math.MaxUint32 && n == math.Trunc(n)
}

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

// String returns the type as Clarity text, such as (response bool uint). A Future type is shown as its JSON, the zero
// Type as "".
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
