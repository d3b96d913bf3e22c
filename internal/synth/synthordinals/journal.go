package synthordinals

// journal remembers how to undo what was done to the tables that write to it.
type journal struct{ undo []func() }

func (j *journal) note(undo func()) { j.undo = append(j.undo, undo) }

// take is what was noted since the last take.
func (j *journal) take() []func() {
	undo := j.undo
	j.undo = nil
	return undo
}

// undoAll takes changes back, the newest first.
func undoAll(undo []func()) {
	for i := len(undo) - 1; i >= 0; i-- {
		undo[i]()
	}
}

// table is a map whose changes can be undone. Its values must not be changed in place.
type table[K comparable, V any] struct {
	rows    map[K]V
	journal *journal
}

func newTable[K comparable, V any](j *journal) table[K, V] {
	return table[K, V]{rows: map[K]V{}, journal: j}
}

func (t table[K, V]) get(k K) V { return t.rows[k] }

func (t table[K, V]) has(k K) bool {
	_, ok := t.rows[k]
	return ok
}

func (t table[K, V]) put(k K, v V) {
	t.keep(k)
	t.rows[k] = v
}

func (t table[K, V]) remove(k K) {
	if t.has(k) {
		t.keep(k)
		delete(t.rows, k)
	}
}

// keep notes what a key has now.
func (t table[K, V]) keep(k K) {
	old, had := t.rows[k]
	t.journal.note(func() {
		if had {
			t.rows[k] = old
		} else {
			delete(t.rows, k)
		}
	})
}

// cell is a value whose changes can be undone.
type cell[V any] struct {
	value   V
	journal *journal
}

func (c *cell[V]) set(v V) {
	old := c.value
	c.journal.note(func() { c.value = old })
	c.value = v
}

// roster is a set to draw from: its order depends on nothing but what was done to it. Changes can be undone.
type roster[K comparable] struct {
	list    []K
	at      map[K]int
	journal *journal
}

func newRoster[K comparable](j *journal) *roster[K] { return &roster[K]{at: map[K]int{}, journal: j} }

func (r *roster[K]) add(k K) {
	if _, ok := r.at[k]; ok {
		return
	}
	r.at[k] = len(r.list)
	r.list = append(r.list, k)
	r.journal.note(func() {
		r.list = r.list[:len(r.list)-1]
		delete(r.at, k)
	})
}

// remove puts the last one in the place of the one that goes.
func (r *roster[K]) remove(k K) {
	i, ok := r.at[k]
	if !ok {
		return
	}
	last := r.list[len(r.list)-1]
	r.list[i], r.at[last] = last, i
	r.list = r.list[:len(r.list)-1]
	delete(r.at, k)
	r.journal.note(func() {
		r.list = append(r.list, last)
		r.at[last] = len(r.list) - 1
		r.list[i], r.at[k] = k, i
	})
}
