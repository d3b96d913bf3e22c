package transaction

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
)

// ErrUnknownLayout is returned for post-conditions whose layout this package does not know.
var ErrUnknownLayout = errors.New("unknown layout")

// postConditionsHeaderSize is the size in bytes of mode and count.
const postConditionsHeaderSize = 5

// PostConditions is the mode and the list of post-conditions of a transaction. It holds their exact wire form, in which
// they are stored, and decodes them on demand. It is immutable. The zero value is mode deny with an empty list.
type PostConditions struct {
	blob []byte // mode, count and conditions; nil in the zero value
}

// emptyPostConditions is the wire form of mode deny with an empty list.
var emptyPostConditions = []byte{byte(PostConditionDeny), 0, 0, 0, 0}

// NewPostConditions encodes conditions. Its error names the first condition that cannot be encoded.
func NewPostConditions(mode PostConditionMode, conditions ...PostCondition) (PostConditions, error) {
	if uint64(len(conditions)) > math.MaxUint32 {
		return PostConditions{}, fmt.Errorf("%d post-conditions: %w, at most %d",
			len(conditions), ErrMalformed, uint32(math.MaxUint32))
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

// readPostConditions checks each condition but keeps only the wire form of the whole list. It returns false for a
// condition of unknown layout, because the end of the list cannot be found: the result then has the mode but no
// conditions, and the reader stands after the mode.
func readPostConditions(r *reader) (PostConditions, bool) {
	start := r.off
	mode := r.u8("post-condition mode")
	afterMode := r.off
	n := r.u32("post-condition count")
	for i := uint32(0); i < n && r.err == nil; i++ {
		var skip *PostCondition
		if !skip.read(r) {
			r.off = afterMode
			return PostConditions{blob: []byte{mode, 0, 0, 0, 0}}, false
		}
	}
	if r.err != nil {
		return PostConditions{}, true
	}
	return PostConditions{blob: r.b[start:r.off:r.off]}, true
}

// Blob returns the exact wire form: mode, u32 count and conditions. The caller must not change it.
func (p PostConditions) Blob() []byte {
	if p.blob == nil {
		return emptyPostConditions
	}
	return p.blob
}

// Mode tells what happens to asset movements that no condition covers.
func (p PostConditions) Mode() PostConditionMode { return PostConditionMode(p.Blob()[0]) }

// Len returns the number of conditions.
func (p PostConditions) Len() int { return int(binary.BigEndian.Uint32(p.Blob()[1:])) }

// All decodes the conditions in order.
func (p PostConditions) All() iter.Seq[PostCondition] {
	return func(yield func(PostCondition) bool) {
		r := reader{b: p.Blob(), off: postConditionsHeaderSize}
		for range p.Len() {
			var c PostCondition
			// The conditions were checked before, so neither an error nor an unknown layout can occur.
			if !c.read(&r) || r.err != nil || !yield(c) {
				return
			}
		}
	}
}

// List returns the conditions as a slice.
func (p PostConditions) List() []PostCondition {
	var list []PostCondition
	for c := range p.All() {
		list = append(list, c)
	}
	return list
}
