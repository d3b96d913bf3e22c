package transaction

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
)

// ErrUnknownLayout is returned for post-conditions of a kind that this package does not know.
var ErrUnknownLayout = errors.New("unknown layout")

// postConditionsHeader is the size of mode and count in bytes.
const postConditionsHeader = 5

// PostConditions is the mode and the list of post-conditions of a transaction. It holds the exact wire form, in which
// post-conditions are stored, and takes it apart on demand. It is immutable; the zero value is mode deny with an empty
// list.
type PostConditions struct {
	blob []byte // mode, count and conditions; nil for the zero value
}

var denyNothing = []byte{byte(PostConditionDeny), 0, 0, 0, 0}

// NewPostConditions puts conditions into wire form. Its error says which condition cannot be written.
func NewPostConditions(mode PostConditionMode, conditions ...PostCondition) (PostConditions, error) {
	if uint64(len(conditions)) > math.MaxUint32 {
		return PostConditions{}, fmt.Errorf("%d post-conditions: %w, at most %d", len(conditions), ErrMalformed, uint32(math.MaxUint32))
	}
	blob := binary.BigEndian.AppendUint32([]byte{byte(mode)}, uint32(len(conditions)))
	for i := range conditions {
		if err := conditions[i].validate(); err != nil {
			return PostConditions{}, fmt.Errorf("post-condition %d: %w", i, err)
		}
		blob = conditions[i].appendTo(blob)
	}
	return PostConditions{blob: blob}, nil
}

// DecodePostConditions reads a stored blob: mode, count and conditions, as they stand in a transaction. The whole
// blob must be read. The error is a *DecodeError, which wraps ErrUnknownLayout for a condition of an unknown kind.
// The blob is kept, not copied.
func DecodePostConditions(blob []byte) (PostConditions, error) {
	r := reader{b: blob}
	p, known := readPostConditions(&r)
	if !known {
		r.fail("post-conditions", 0, ErrUnknownLayout)
	}
	if r.err == nil && r.left() > 0 {
		r.fail("post-conditions", r.off, fmt.Errorf("%w: %d", ErrTrailing, r.left()))
	}
	if r.err != nil {
		return PostConditions{}, r.err
	}
	return p, nil
}

// readPostConditions checks the conditions without keeping them. It returns false when it met one of an unknown
// kind: then nobody knows where the list ends, the reader stands behind the mode and the result has no conditions.
func readPostConditions(r *reader) (PostConditions, bool) {
	start := r.off
	mode := r.u8("post-condition mode")
	list := r.off
	n := r.u32("post-condition count")
	for i := uint32(0); i < n && r.err == nil; i++ {
		var skip *PostCondition
		if !skip.read(r) {
			r.off = list
			return PostConditions{blob: []byte{mode, 0, 0, 0, 0}}, false
		}
	}
	if r.err != nil {
		return PostConditions{}, true
	}
	return PostConditions{blob: r.b[start:r.off:r.off]}, true
}

// Blob is the exact wire form: mode, u32 count, conditions. It must not be changed.
func (p PostConditions) Blob() []byte {
	if p.blob == nil {
		return denyNothing
	}
	return p.blob
}

// Mode says what happens to assets that no condition speaks of.
func (p PostConditions) Mode() PostConditionMode { return PostConditionMode(p.Blob()[0]) }

// Len is the number of conditions.
func (p PostConditions) Len() int { return int(binary.BigEndian.Uint32(p.Blob()[1:])) }

// All takes the list apart, in order.
func (p PostConditions) All() iter.Seq[PostCondition] {
	return func(yield func(PostCondition) bool) {
		r := reader{b: p.Blob(), off: postConditionsHeader}
		for range p.Len() {
			var c PostCondition
			// The list was read once before, so neither the error nor an unknown kind can happen.
			if !c.read(&r) || r.err != nil || !yield(c) {
				return
			}
		}
	}
}

// List is All as a slice.
func (p PostConditions) List() []PostCondition {
	var list []PostCondition
	for c := range p.All() {
		list = append(list, c)
	}
	return list
}
