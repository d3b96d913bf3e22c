package pool

import "strata/domain/hash"

// tipHistoryMax is the number of tips that the pool remembers for each node. With one probe in 2 s they cover a minute
// or more.
const tipHistoryMax = 32

// point is a tip that a node had.
type point struct {
	height int64
	id     hash.Hash32
}

// tipHistory lists the recent tips of a node, the newest last. It is immutable.
type tipHistory []point

// with returns a history that ends with p.
func (t tipHistory) with(p point) tipHistory {
	if p.id.IsZero() || len(t) > 0 && t[len(t)-1] == p {
		return t
	}
	if len(t) == tipHistoryMax {
		t = t[1:]
	}
	return append(append(make(tipHistory, 0, len(t)+1), t...), p)
}

// contains reports whether a block was one of the tips.
func (t tipHistory) contains(id hash.Hash32) bool {
	for i := range t {
		if t[i].id == id {
			return true
		}
	}
	return false
}

// intersects reports whether both histories contain the same block.
func (t tipHistory) intersects(other tipHistory) bool {
	for i := range t {
		if other.contains(t[i].id) {
			return true
		}
	}
	return false
}
