package ranked

import (
	"cmp"
	"math"
)

// Key is the position of an entry in a list. Several entries may share one.
type Key [3]int64

// below is where the first part of a list begins.
var below = Key{math.MinInt64, math.MinInt64, math.MinInt64}

// Compare orders keys.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(k[0], other[0]), cmp.Compare(k[1], other[1]), cmp.Compare(k[2], other[2]))
}
