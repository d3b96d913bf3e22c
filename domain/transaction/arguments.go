package transaction

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"strata/domain/clarity"
)

// argumentsHeader is the size of the count in bytes.
const argumentsHeader = 4

// Arguments are the values that a contract call passes. They hold the exact wire form, in which they are stored, and
// are taken apart on demand. They are immutable; the zero value is the empty list.
type Arguments struct {
	blob []byte // count and values; nil for the zero value
}

var noArguments = make([]byte, argumentsHeader)

// NewArguments puts values into wire form. The error is ErrMalformed for a zero Value, which has no wire form.
func NewArguments(values ...clarity.Value) (Arguments, error) {
	if uint64(len(values)) > math.MaxUint32 {
		return Arguments{}, fmt.Errorf("%d arguments: %w", len(values), ErrMalformed)
	}
	size := argumentsHeader
	for i, v := range values {
		if v.IsZero() {
			return Arguments{}, fmt.Errorf("argument %d is no value: %w", i, ErrMalformed)
		}
		size += len(v.Raw())
	}
	blob := binary.BigEndian.AppendUint32(make([]byte, 0, size), uint32(len(values)))
	for _, v := range values {
		blob = append(blob, v.Raw()...)
	}
	return Arguments{blob: blob}, nil
}

// readArguments checks the values without keeping them apart.
func readArguments(r *reader) Arguments {
	start := r.off
	n := r.u32("argument count")
	for i := uint32(0); i < n && r.err == nil; i++ {
		r.value("argument")
	}
	if r.err != nil {
		return Arguments{}
	}
	return Arguments{blob: r.b[start:r.off:r.off]}
}

// Blob is the exact wire form: u32 count and values. It must not be changed.
func (a Arguments) Blob() []byte {
	if a.blob == nil {
		return noArguments
	}
	return a.blob
}

// Len is the number of arguments.
func (a Arguments) Len() int { return int(binary.BigEndian.Uint32(a.Blob())) }

// All takes the arguments apart, in order.
func (a Arguments) All() iter.Seq[clarity.Value] {
	return func(yield func(clarity.Value) bool) {
		r := reader{b: a.Blob(), off: argumentsHeader}
		for range a.Len() {
			// The values were read once before, so an error cannot happen.
			if v := r.value("argument"); r.err != nil || !yield(v) {
				return
			}
		}
	}
}

// List is All as a slice.
func (a Arguments) List() []clarity.Value {
	var list []clarity.Value
	for v := range a.All() {
		list = append(list, v)
	}
	return list
}
