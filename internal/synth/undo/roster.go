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
	if _, ok := r.index[k]; ok {
		return
	}
	r.append(k)
	r.log.add(&addition[K]{roster: r, key: k})
}

// Remove removes k, if it is in the roster, and puts the last key in its place.
func (r *Roster[K]) Remove(k K) {
	i, ok := r.index[k]
	if !ok {
		return
	}
	removal := &removal[K]{roster: r, key: k, index: i, last: r.List[len(r.List)-1]}
	removal.Redo()
	r.log.add(removal)
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

// addition is the change that added a key to the end of a roster.
type addition[K comparable] struct {
	roster *Roster[K]
	key    K
}

func (a *addition[K]) Undo() { a.roster.dropLast(a.key) }
func (a *addition[K]) Redo() { a.roster.append(a.key) }

// removal is the change that removed the key at index from a roster. last was the last key, possibly the same one.
type removal[K comparable] struct {
	roster    *Roster[K]
	key, last K
	index     int
}

func (c *removal[K]) Undo() {
	r := c.roster
	r.append(c.last)
	r.List[c.index], r.index[c.key] = c.key, c.index
}

func (c *removal[K]) Redo() {
	r := c.roster
	r.List[c.index], r.index[c.last] = c.last, c.index
	r.dropLast(c.key)
}
