// Package value makes Clarity values of what generators know. It panics where a value is impossible, because generators encode only
// their own.
package value

import (
	"fmt"
	"math/big"

	"strata/domain/clarity"
)

// Must returns v, or panics on an error.
func Must[T any](v T, err error) T {
	if err != nil {
		panic("synth: " + err.Error())
	}
	return v
}

// Principal is the text of a principal.
type Principal string

// Clarity returns the principal as a value.
func (p Principal) Clarity() clarity.Value {
	return Must(clarity.NewPrincipal(Must(clarity.ParsePrincipal(string(p)))))
}

// Uint returns a uint.
func Uint[N int | int64 | uint64](n N) clarity.Value { return clarity.NewUint64(uint64(n)) }

// Text returns a string-ascii.
func Text(s string) clarity.Value { return Must(clarity.NewASCII(s)) }

// Buffer returns a buffer.
func Buffer[B string | []byte](b B) clarity.Value { return Must(clarity.NewBuffer([]byte(b))) }

// Of returns the value that stands for v: a uint for a number, a string-ascii for text, a buffer for bytes, and none for nil.
func Of(v any) clarity.Value {
	switch v := v.(type) {
	case nil:
		return clarity.NewNone()
	case int:
		return Uint(v)
	case int64:
		return Uint(v)
	case uint64:
		return Uint(v)
	case *big.Int:
		return Must(clarity.NewUint(v))
	case bool:
		return clarity.NewBool(v)
	case []byte:
		return Buffer(v)
	case string:
		return Text(v)
	case Principal:
		return v.Clarity()
	case clarity.Value:
		return v
	}
	panic(fmt.Sprintf("synth: no Clarity value for a %T", v))
}

// Some returns an optional value.
func Some(v any) clarity.Value { return clarity.NewSome(Of(v)) }

// Optional returns an optional value, which is v if ok is set.
func Optional(ok bool, v any) clarity.Value {
	if !ok {
		return clarity.NewNone()
	}
	return Some(v)
}

// Tuple returns a tuple of alternating names and values, which may be of any type that Of knows.
func Tuple(pairs ...any) clarity.Value {
	fields := make([]clarity.Field, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, clarity.Field{Name: pairs[i].(string), Value: Of(pairs[i+1])})
	}
	return Must(clarity.NewTuple(fields...))
}
