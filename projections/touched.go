package projections

import (
	"maps"
	"slices"

	"strata/domain/shard"
)

// touchedMax is how many shards a fold may name. Beyond it the list costs more to write than it saves readers, so that
// everything counts as changed.
const touchedMax = shard.Count / 8

// Touched is what a fold changed, as readers name it: the resources whose answers are not what they were. The nil
// *Touched is everything. A projection that follows blocks one at a time should know; the rows of a batch of thousands
// are not worth naming.
type Touched struct {
	shards map[int32]struct{}
}

// NewTouched is a list that is empty as yet: nothing has changed.
func NewTouched() *Touched { return &Touched{shards: map[int32]struct{}{}} }

// Add names resources, in the words of package domain/shard. Adding to everything adds nothing.
func (t *Touched) Add(names ...string) {
	if t == nil {
		return
	}
	for _, name := range names {
		t.shards[shard.Of(name)] = struct{}{}
	}
}

// Includes says whether readers of a resource must read again.
func (t *Touched) Includes(name string) bool {
	if _, everything := t.list(); everything {
		return true
	}
	_, ok := t.shards[shard.Of(name)]
	return ok
}

// list is the shards in order; everything says that they are not known, or too many.
func (t *Touched) list() (shards []int32, everything bool) {
	if t == nil || len(t.shards) > touchedMax {
		return nil, true
	}
	return slices.Sorted(maps.Keys(t.shards)), false
}
