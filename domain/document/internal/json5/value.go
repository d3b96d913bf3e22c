package json5

import "github.com/go-json-experiment/json/jsontext"

// Kind is the kind of a Value.
type Kind byte

// Kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"null", "a boolean", "a number", "a text", "an array", "an object"}

// String returns the name of the kind with its article, for errors: "an array".
func (k Kind) String() string { return kindNames[k] }

// Value is a JSON value. The zero Value is null.
type Value struct {
	Kind Kind
	// Text of a String without quotes and escapes, or of a Bool or Number in JSON.
	Text string
	// Name of a member of an Object.
	Name string
	// Items of an Array, or members of an Object, in order. The members have different names.
	Items []Value
}

// Text returns a String.
func Text(s string) Value { return Value{Kind: String, Text: s} }

// Named returns the value as a member with the given name.
func (v Value) Named(name string) Value {
	v.Name = name
	return v
}

// Member returns the member of an Object with the given name; ok is false if there is none, or if v is not an Object.
func (v Value) Member(name string) (member Value, ok bool) {
	if v.Kind != Object {
		return Value{}, false
	}
	for _, m := range v.Items {
		if m.Name == name {
			return m, true
		}
	}
	return Value{}, false
}

// Scalar returns the text of a String, Number or Bool; ok is false for anything else.
func (v Value) Scalar() (text string, ok bool) {
	return v.Text, v.Kind == String || v.Kind == Number || v.Kind == Bool
}

// MapText returns a copy of the value in which f is applied to each text, at any depth, but not to names.
func (v Value) MapText(f func(string) string) Value {
	switch v.Kind {
	case String:
		v.Text = f(v.Text)
	case Array, Object:
		items := make([]Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.MapText(f)
		}
		v.Items = items
	}
	return v
}

// Append appends the value as JSON without white space and with the fewest escapes. Equal values have equal bytes.
func (v Value) Append(dst []byte) []byte {
	switch v.Kind {
	case Bool, Number:
		return append(dst, v.Text...)
	case String:
		return appendText(dst, v.Text)
	case Array:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.Append(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, member := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, member.Name), ':')
			dst = member.Append(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

func appendText(dst []byte, s string) []byte {
	// The only possible error is about text that is not UTF-8, in which AppendQuote has replaced ill-formed parts by
	// U+FFFD.
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
