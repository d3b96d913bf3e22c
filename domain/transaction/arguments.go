package transaction

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"strata/domain/clarity"
)

// argumentsHeaderSize is the size in bytes of the count.
const argumentsHeaderSize = 4

// Arguments is the list of values that a contract call passes. It holds their exact wire form, in which they are
// stored, and decodes them on demand. It is immutable. The zero value is an empty list.
type Arguments struct {
	blob []byte // count and values; nil in the zero value
}

// emptyArguments is the wire form of an empty list.
var emptyArguments = make([]byte, argumentsHeaderSize)

// NewArguments encodes values. The error wraps ErrMalformed for a zero Value, which has no wire form.
func NewArguments(values ...clarity.Value) (Arguments, error) {
	if uint64(len(values)) > math.MaxUint32 {
		return Arguments{}, fmt.Errorf("%d arguments: %w", len(values), ErrMalformed)
	}
	size := argumentsHeaderSize
	for i, v := range values {
		if v.IsZero() {
			return Arguments{}, fmt.Errorf("argument %d is a zero Value: %w", i, ErrMalformed)
		}
		size += len(v.Raw())
	}
	blob := binary.BigEndian.AppendUint32(make([]byte, 0, size), uint32(len(values)))
	for _, v := range values {
		blob = append(blob, v.Raw()...)
	}
	return Arguments{blob: blob}, nil
}

// readArguments checks each value but keeps only the wire form of the whole list.
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

// Blob returns the exact wire form: u32 count and values. The caller must not change it.
func (a Arguments) Blob() []byte {
	if a.blob == nil {
		return emptyArguments
	}
	return a.blob
}

// Len returns the number of arguments.
func (a Arguments) Len() int { return int(binary.BigEndian.Uint32(a.Blob())) }

// All decodes the arguments in order.
func (a Arguments) All() iter.Seq[clarity.Value] {
	return func(yield func(clarity.Value) bool) {
		r := reader{b: a.Blob(), off: argumentsHeaderSize}
		for range a.Len() {
			// The values were checked before, so no error can occur.
			if v := r.value("argument"); r.err != nil || !yield(v) {
				return
			}
		}
	}
}

// List returns the arguments as a slice.
func (a Arguments) List() []clarity.Value {
	var list []clarity.Value
	for v := range a.All() {
		list = append(list, v)
	}
	return list
}
