package clarity

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"slices"
	"strings"

	"strata/domain/c32"
	"strata/domain/lossy"
)

// Value is a Clarity value: its serialized bytes, checked by Decode or built by a constructor. Values are cheap to copy
// and safe to share. The zero Value is not a value: its type is TypeInvalid, and its texts are empty.
//
// An accessor named after a type returns false (or nil) for a value of another type.
type Value struct {
	raw []byte
}

// Field is a field of a tuple.
type Field struct {
	Name  string
	Value Value
}

// Type returns the type prefix, or TypeInvalid for the zero Value.
func (v Value) Type() TypeID {
	if len(v.raw) == 0 {
		return TypeInvalid
	}
	return TypeID(v.raw[0])
}

// IsZero reports whether v is the zero Value.
func (v Value) IsZero() bool { return len(v.raw) == 0 }

// Raw returns the serialized bytes. Those of a decoded value are part of Decode's input. The caller must not change
// them.
func (v Value) Raw() []byte { return v.raw }

// Hex returns Raw as lower-case hex with 0x.
func (v Value) Hex() string { return string(appendHex(make([]byte, 0, 2+2*len(v.raw)), v.raw)) }

// Equal reports whether v and o have the same serialized bytes.
func (v Value) Equal(o Value) bool { return bytes.Equal(v.raw, o.raw) }

// Int returns the number of an int or a uint.
func (v Value) Int() (*big.Int, bool) {
	hi, lo, ok := v.words()
	if !ok {
		return nil, false
	}
	negative := v.Type() == TypeInt && int64(hi) < 0
	if negative {
		hi, lo = negate(hi, lo)
	}
	var b [integerLength]byte
	binary.BigEndian.PutUint64(b[:8], hi)
	binary.BigEndian.PutUint64(b[8:], lo)
	n := new(big.Int).SetBytes(b[:])
	if negative {
		n.Neg(n)
	}
	return n, true
}

// Uint64 returns the number of a uint, or false if it does not fit in 64 bits.
func (v Value) Uint64() (uint64, bool) {
	hi, lo, ok := v.words()
	if !ok || hi != 0 || v.Type() != TypeUint {
		return 0, false
	}
	return lo, true
}

// Decimal returns the number of an int or a uint in decimal digits, without the u of Repr.
func (v Value) Decimal() (string, bool) {
	if _, _, ok := v.words(); !ok {
		return "", false
	}
	var b [40]byte
	return string(appendDecimal(b[:0], v.Type(), v.raw[1:])), true
}

// Bool returns the truth value of a bool.
func (v Value) Bool() (value, ok bool) {
	t := v.Type()
	return t == TypeTrue, t == TypeTrue || t == TypeFalse
}

// Buffer returns the bytes of a buffer. The caller must not change them.
func (v Value) Buffer() ([]byte, bool) {
	if v.Type() != TypeBuffer {
		return nil, false
	}
	return v.raw[1+countLength:], true
}

// Text returns the characters of a string-ascii or string-utf8. Ill-formed UTF-8 becomes U+FFFD.
func (v Value) Text() (string, bool) {
	if t := v.Type(); t != TypeASCII && t != TypeUTF8 {
		return "", false
	}
	return lossy.String(v.raw[1+countLength:]), true
}

// Principal returns a standard or contract principal.
func (v Value) Principal() (Principal, bool) {
	t := v.Type()
	if t != TypePrincipal && t != TypeContractPrincipal {
		return Principal{}, false
	}
	p := Principal{Address: address(v.raw[1:])}
	if t == TypeContractPrincipal {
		p.Contract = string(v.raw[1+addressLength+1:])
	}
	return p, true
}

// Inner returns the value inside ok, err or some.
func (v Value) Inner() (Value, bool) {
	switch v.Type() {
	case TypeOk, TypeErr, TypeSome:
		return Value{raw: v.raw[1:]}, true
	}
	return Value{}, false
}

// Len returns the number of elements of a list, of fields of a tuple (duplicates included), or of bytes of a buffer or
// string. For any other type it returns 0.
func (v Value) Len() int {
	switch v.Type() {
	case TypeBuffer, TypeASCII, TypeUTF8, TypeList, TypeTuple:
		return int(binary.BigEndian.Uint32(v.raw[1:]))
	}
	return 0
}

// Elements returns the elements of a list.
func (v Value) Elements() []Value {
	if v.Type() != TypeList {
		return nil
	}
	elements := make([]Value, 0, v.Len()) // Decode has checked that the bytes hold as many
	for rest := v.raw[1+countLength:]; len(rest) > 0; {
		var element Value
		element, rest = cut(rest)
		elements = append(elements, element)
	}
	return elements
}

// Fields returns the fields of a tuple as they are serialized: in any order, and with duplicates.
func (v Value) Fields() []Field {
	if v.Type() != TypeTuple {
		return nil
	}
	fields := make([]Field, 0, v.Len())
	for rest := v.raw[1+countLength:]; len(rest) > 0; {
		var f Field
		name := nameAt(rest)
		f.Name = string(name)
		f.Value, rest = cut(rest[1+len(name):])
		fields = append(fields, f)
	}
	return fields
}

// SortedFields returns the fields of a tuple in byte order of their names, and only the last of duplicates.
func (v Value) SortedFields() []Field {
	fields := v.Fields()
	slices.SortStableFunc(fields, compareNames)
	distinct := fields[:0]
	for i, f := range fields {
		if i+1 < len(fields) && fields[i+1].Name == f.Name {
			continue
		}
		distinct = append(distinct, f)
	}
	return distinct
}

func compareNames(a, b Field) int { return strings.Compare(a.Name, b.Name) }

// Field returns the value of the tuple field with that name, and of duplicates the last one.
func (v Value) Field(name string) (value Value, ok bool) {
	if v.Type() != TypeTuple {
		return Value{}, false
	}
	for rest := v.raw[1+countLength:]; len(rest) > 0; {
		key := nameAt(rest)
		var candidate Value
		candidate, rest = cut(rest[1+len(key):])
		if string(key) == name {
			value, ok = candidate, true
		}
	}
	return value, ok
}

// words returns the upper and lower 64 bits of an int or uint.
func (v Value) words() (hi, lo uint64, ok bool) {
	if t := v.Type(); t != TypeInt && t != TypeUint {
		return 0, 0, false
	}
	return binary.BigEndian.Uint64(v.raw[1:]), binary.BigEndian.Uint64(v.raw[9:]), true
}

// address returns the address whose version and hash start b.
func address(b []byte) c32.Address {
	return c32.Address{Version: b[0], Hash160: [20]byte(b[1:addressLength])}
}

// nameAt returns the bytes of the name at the start of b, without its length byte.
func nameAt(b []byte) []byte { return b[1 : 1+int(b[0])] }

func appendHex(dst, b []byte) []byte {
	return hex.AppendEncode(append(dst, '0', 'x'), b)
}
