package undo

// Roster is a set of keys to draw from at random. The order of its list depends only on the calls that were made, so
// draws can be repeated. Its changes are logged.
type Roster[K comparable] struct {
	List  []K       // only to read
	index map[K]int // position in List
	log   *Log
}

// NewRoster returns an empty roster that logs its changes to l.
func NewRoster[K comparable](l *Log) *Roster[K] { return &Roster[K]{index: map[K]int{}, log: l} }

// Add adds k, if it is not in the roster.
func (r *Roster[K]) Add(k K) {
	if _, ok := r.index[k]; !ok {
		r.log.do(func() { r.append(k) }, func() { r.dropLast(k) })
	}
}

// Remove removes k, if it is in the roster, and puts the last key in its place.
func (r *Roster[K]) Remove(k K) {
	i, ok := r.index[k]
	if !ok {
		return
	}
	last := r.List[len(r.List)-1] // perhaps k
	r.log.do(func() {
		r.List[i], r.index[last] = last, i
		r.dropLast(k)
	}, func() {
		r.append(last)
		r.List[i], r.index[k] = k, i
	})
}

func (r *Roster[K]) append(k K) {
	r.index[k] = len(r.List)
	r.List = append(r.List, k)
}

// dropLast removes the last key, which must be k.
func (r *Roster[K]) dropLast(k K) {
	r.List = r.List[:len(r.List)-1]
	delete(r.index, k)
}
