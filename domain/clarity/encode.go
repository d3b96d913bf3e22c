package clarity

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"unicode/utf8"
)

// Encode returns a copy of the bytes that the value was decoded from or that its constructor built. Constructors sort
// tuple fields by name.
func (v Value) Encode() []byte { return bytes.Clone(v.raw) }

// AppendTo appends the bytes that Encode returns to dst.
func (v Value) AppendTo(dst []byte) []byte { return append(dst, v.raw...) }

// Canonical returns the bytes to which a node would re-serialize the value: all tuple fields are sorted by name, and of
// duplicate keys only the last remains. Values with the same meaning have the same canonical bytes.
func (v Value) Canonical() []byte {
	if v.IsZero() {
		return nil
	}
	canonical, _ := appendCanonical(make([]byte, 0, len(v.raw)), v.raw)
	return canonical
}

// appendCanonical appends the canonical form of the first value of b. It also returns the bytes after that value.
func appendCanonical(dst, b []byte) (out, rest []byte) {
	switch prefix := TypeID(b[0]); prefix {
	case TypeOk, TypeErr, TypeSome:
		return appendCanonical(append(dst, b[0]), b[1:])
	case TypeList:
		dst = append(dst, b[:1+countLength]...)
		n, b := count(b[1:])
		for range n {
			dst, b = appendCanonical(dst, b)
		}
		return dst, b
	case TypeTuple:
		n, b := count(b[1:])
		fields, rest := fieldsByName(b, n)
		if fields != nil {
			n = len(fields)
		}
		dst = binary.BigEndian.AppendUint32(append(dst, byte(prefix)), uint32(n))
		if fields == nil {
			for range n {
				dst, b = appendCanonicalField(dst, b)
			}
		}
		for _, field := range fields {
			dst, _ = appendCanonicalField(dst, field)
		}
		return dst, rest
	default:
		rest = skip(b)
		return append(dst, b[:len(b)-len(rest)]...), rest
	}
}

func appendCanonicalField(dst, b []byte) (out, rest []byte) {
	value := 1 + int(b[0])
	return appendCanonical(append(dst, b[:value]...), b[value:])
}

// NewInt returns an int. It returns ErrRange when n is outside -2^127 … 2^127-1.
func NewInt(n *big.Int) (Value, error) {
	// For a negative number the bit length of its complement decides, because -2^127 fits.
	magnitude := n
	if n.Sign() < 0 {
		magnitude = new(big.Int).Not(n)
	}
	if magnitude.BitLen() > 127 {
		return Value{}, fmt.Errorf("int %.200s: %w", n.String(), ErrRange)
	}
	raw := make([]byte, 1+integerLength)
	raw[0] = byte(TypeInt)
	magnitude.FillBytes(raw[1:])
	if n.Sign() < 0 {
		for i := 1; i < len(raw); i++ {
			raw[i] = ^raw[i]
		}
	}
	return Value{raw: raw}, nil
}

// NewUint returns a uint. It returns ErrRange when n is outside 0 … 2^128-1.
func NewUint(n *big.Int) (Value, error) {
	if n.Sign() < 0 || n.BitLen() > 128 {
		return Value{}, fmt.Errorf("uint %.200s: %w", n.String(), ErrRange)
	}
	raw := make([]byte, 1+integerLength)
	raw[0] = byte(TypeUint)
	n.FillBytes(raw[1:])
	return Value{raw: raw}, nil
}

// NewInt64 returns an int.
func NewInt64(n int64) Value {
	raw := make([]byte, 1+integerLength)
	raw[0] = byte(TypeInt)
	binary.BigEndian.PutUint64(raw[1:], uint64(n>>63)) // the sign, extended to 64 bits
	binary.BigEndian.PutUint64(raw[9:], uint64(n))
	return Value{raw: raw}
}

// NewUint64 returns a uint.
func NewUint64(n uint64) Value {
	raw := make([]byte, 1+integerLength)
	raw[0] = byte(TypeUint)
	binary.BigEndian.PutUint64(raw[9:], n)
	return Value{raw: raw}
}

// NewBool returns a bool.
func NewBool(b bool) Value {
	if b {
		return Value{raw: []byte{byte(TypeTrue)}}
	}
	return Value{raw: []byte{byte(TypeFalse)}}
}

// NewBuffer returns a buffer that holds a copy of b. It returns ErrTooLong for more than MaxLength bytes.
func NewBuffer(b []byte) (Value, error) { return sized(TypeBuffer, b) }

// NewASCII returns a string-ascii. It returns ErrText for a character that is neither printable nor one of tab,
// newline, form feed and carriage return, and ErrTooLong for more than MaxLength bytes.
func NewASCII(s string) (Value, error) {
	if at := illegalASCII(s); at >= 0 {
		return Value{}, fmt.Errorf("string-ascii, character %d is %q: %w", at, s[at], ErrText)
	}
	return sized(TypeASCII, s)
}

// NewUTF8 returns a string-utf8. It returns ErrText for ill-formed UTF-8, and ErrTooLong for more than MaxLength bytes.
func NewUTF8(s string) (Value, error) {
	if !utf8.ValidString(s) {
		return Value{}, fmt.Errorf("string-utf8: %w", ErrText)
	}
	return sized(TypeUTF8, s)
}

// NewPrincipal returns a standard or contract principal. Its errors are those of Principal.AppendTo.
func NewPrincipal(p Principal) (Value, error) {
	raw, err := p.AppendTo(nil)
	if err != nil {
		return Value{}, err
	}
	return Value{raw: raw}, nil
}

// NewOk returns (ok v), or the zero Value if v is the zero Value.
func NewOk(v Value) Value { return wrap(TypeOk, v) }

// NewErr returns (err v), or the zero Value if v is the zero Value.
func NewErr(v Value) Value { return wrap(TypeErr, v) }

// NewSome returns (some v), or the zero Value if v is the zero Value.
func NewSome(v Value) Value { return wrap(TypeSome, v) }

// NewNone returns none.
func NewNone() Value { return Value{raw: []byte{byte(TypeNone)}} }

// NewList returns a list. It returns ErrNoValue for a zero Value among the elements, ErrListType when the elements have
// no common type, and ErrTooLong for more than MaxLength elements.
func NewList(elements ...Value) (Value, error) {
	raw, err := header(TypeList, len(elements))
	if err != nil {
		return Value{}, err
	}
	for i, v := range elements {
		if v.IsZero() {
			return Value{}, fmt.Errorf("list element %d: %w", i, ErrNoValue)
		}
		raw = append(raw, v.raw...)
	}
	if _, _, err := shapeOf(raw, 0); err != nil {
		return Value{}, fmt.Errorf("new list: %w", err)
	}
	return Value{raw: raw}, nil
}

// NewTuple returns a tuple of the fields, given in any order. It returns ErrName, ErrDuplicateKey or ErrNoValue for an
// illegal field, and ErrTooLong for more than MaxLength fields.
func NewTuple(fields ...Field) (Value, error) {
	raw, err := header(TypeTuple, len(fields))
	if err != nil {
		return Value{}, err
	}
	sorted := slices.SortedFunc(slices.Values(fields), compareNames)
	for i, f := range sorted {
		switch {
		case !IsName(f.Name):
			return Value{}, fmt.Errorf("tuple key %.200q: %w", f.Name, ErrName)
		case i > 0 && sorted[i-1].Name == f.Name:
			return Value{}, fmt.Errorf("tuple key %q: %w", f.Name, ErrDuplicateKey)
		case f.Value.IsZero():
			return Value{}, fmt.Errorf("tuple field %q: %w", f.Name, ErrNoValue)
		}
		raw = append(appendName(raw, f.Name), f.Value.raw...)
	}
	return Value{raw: raw}, nil
}

func wrap(prefix TypeID, v Value) Value {
	if v.IsZero() {
		return Value{}
	}
	return Value{raw: append([]byte{byte(prefix)}, v.raw...)}
}

// sized returns a buffer or string: prefix, length and content.
func sized[T string | []byte](prefix TypeID, content T) (Value, error) {
	raw, err := header(prefix, len(content))
	if err != nil {
		return Value{}, err
	}
	return Value{raw: append(raw, content...)}, nil
}

// header returns prefix and length, or ErrTooLong.
func header(prefix TypeID, n int) ([]byte, error) {
	if n > MaxLength {
		return nil, fmt.Errorf("%s of %d: %w, at most %d", prefix, n, ErrTooLong, MaxLength)
	}
	return binary.BigEndian.AppendUint32([]byte{byte(prefix)}, uint32(n)), nil
}
