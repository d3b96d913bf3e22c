package pool

import "strata/domain/hash"

// trailMax is how many of its tips the pool remembers of a node; at one probe in 2 s, those of a minute or more.
const trailMax = 32

// point is a tip that a node had.
type point struct {
	height int64
	id     hash.Hash32
}

// trail has the tips that a node had, the newest last. It is not changed: with makes another.
type trail []point

func (t trail) with(p point) trail {
	if p.id.IsZero() || len(t) > 0 && t[len(t)-1] == p {
		return t
	}
	if len(t) == trailMax {
		t = t[1:]
	}
	return append(append(make(trail, 0, len(t)+1), t...), p)
}

// has says whether a block was one of the tips.
func (t trail) has(id hash.Hash32) bool {
	for i := range t {
		if t[i].id == id {
			return true
		}
	}
	return false
}

// meets says whether both had the same block at some height.
func (t trail) meets(other trail) bool {
	for i := range t {
		if other.has(t[i].id) {
			return true
		}
	}
	return false
}
