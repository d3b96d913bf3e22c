package clarity

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"unicode/utf8"
)

// Encode returns a copy of the value's bytes, as it was decoded or made. Constructors sort tuple fields by name.
func (v Value) Encode() []byte { return bytes.Clone(v.raw) }

// AppendTo appends what Encode returns to dst.
func (v Value) AppendTo(dst []byte) []byte { return append(dst, v.raw...) }

// Canonical returns the value as a node serializes it anew: with all tuple fields sorted by name and without duplicate
// keys. Values that mean the same have the same canonical bytes.
func (v Value) Canonical() []byte {
	if v.IsZero() {
		return nil
	}
	canonical, _ := appendCanonical(make([]byte, 0, len(v.raw)), v.raw)
	return canonical
}

// appendCanonical serializes the first value of b anew and returns what follows it.
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
		fields, rest := reorder(b, n)
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

// NewInt returns an int, or ErrRange when n is outside -2^127 … 2^127-1.
func NewInt(n *big.Int) (Value, error) {
	// BitLen of the complement is what counts below zero: -2^127 fits.
	magnitude := n
	if n.Sign() < 0 {
		magnitude = new(big.Int).Not(n)
	}
	if magnitude.BitLen() > 127 {
		return Value{}, fmt.Errorf("int %s: %w", clip(n.String()), ErrRange)
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

// NewUint returns a uint, or ErrRange when n is outside 0 … 2^128-1.
func NewUint(n *big.Int) (Value, error) {
	if n.Sign() < 0 || n.BitLen() > 128 {
		return Value{}, fmt.Errorf("uint %s: %w", clip(n.String()), ErrRange)
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
	binary.BigEndian.PutUint64(raw[1:], uint64(n>>63)) // the sign, extended
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

// NewBool returns true or false.
func NewBool(b bool) Value {
	if b {
		return Value{raw: []byte{byte(TypeTrue)}}
	}
	return Value{raw: []byte{byte(TypeFalse)}}
}

// NewBuffer returns a buffer of a copy of b, or ErrTooLong.
func NewBuffer(b []byte) (Value, error) { return sized(TypeBuffer, b) }

// NewASCII returns a string-ascii. It returns ErrText for characters other than the printable ones, tab, newline, form
// feed and carriage return, and ErrTooLong.
func NewASCII(s string) (Value, error) {
	if at := illegalASCII(s); at >= 0 {
		return Value{}, fmt.Errorf("string-ascii, character %d is %q: %w", at, s[at], ErrText)
	}
	return sized(TypeASCII, s)
}

// NewUTF8 returns a string-utf8, or ErrText for ill-formed UTF-8 and ErrTooLong.
func NewUTF8(s string) (Value, error) {
	if !utf8.ValidString(s) {
		return Value{}, fmt.Errorf("string-utf8: %w", ErrText)
	}
	return sized(TypeUTF8, s)
}

// NewPrincipal returns a standard or contract principal, or what Principal.AppendTo returns.
func NewPrincipal(p Principal) (Value, error) {
	raw, err := p.AppendTo(nil)
	if err != nil {
		return Value{}, err
	}
	return Value{raw: raw}, nil
}

// NewOk returns (ok v); of the zero Value, the zero Value.
func NewOk(v Value) Value { return wrap(TypeOk, v) }

// NewErr returns (err v); of the zero Value, the zero Value.
func NewErr(v Value) Value { return wrap(TypeErr, v) }

// NewSome returns (some v); of the zero Value, the zero Value.
func NewSome(v Value) Value { return wrap(TypeSome, v) }

// NewNone returns none.
func NewNone() Value { return Value{raw: []byte{byte(TypeNone)}} }

// NewList returns a list. It returns ErrNoValue for a zero Value among the elements, ErrListType when they have no
// common type, and ErrTooLong.
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

// NewTuple returns a tuple of the fields, which may come in any order. It returns ErrName, ErrDuplicateKey or
// ErrNoValue for a field that cannot be, and ErrTooLong.
func NewTuple(fields ...Field) (Value, error) {
	raw, err := header(TypeTuple, len(fields))
	if err != nil {
		return Value{}, err
	}
	sorted := slices.SortedFunc(slices.Values(fields), func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	for i, f := range sorted {
		switch {
		case !IsName(f.Name):
			return Value{}, fmt.Errorf("tuple key %q: %w", clip(f.Name), ErrName)
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

func sized[T string | []byte](prefix TypeID, content T) (Value, error) {
	raw, err := header(prefix, len(content))
	if err != nil {
		return Value{}, err
	}
	return Value{raw: append(raw, content...)}, nil
}

func header(prefix TypeID, n int) ([]byte, error) {
	if n > MaxLength {
		return nil, fmt.Errorf("%s of %d: %w, at most %d", prefix, n, ErrTooLong, MaxLength)
	}
	return binary.BigEndian.AppendUint32([]byte{byte(prefix)}, uint32(n)), nil
}
