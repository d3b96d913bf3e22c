package undo

// Table is a map whose changes are logged. Its values must not be changed in place.
type Table[K comparable, V any] struct {
	Rows map[K]V // only to read
	log  *Log
}

// NewTable returns an empty table that logs its changes to l.
func NewTable[K comparable, V any](l *Log) Table[K, V] { return Table[K, V]{Rows: map[K]V{}, log: l} }

// Get returns the value of k, or the zero value.
func (t Table[K, V]) Get(k K) V { return t.Rows[k] }

// Has reports whether there is a row for k.
func (t Table[K, V]) Has(k K) bool {
	_, ok := t.Rows[k]
	return ok
}

// Set sets the value of k.
func (t Table[K, V]) Set(k K, v V) {
	before, had := t.Rows[k]
	t.log.do(func() { t.Rows[k] = v }, func() {
		if t.Rows[k] = before; !had {
			delete(t.Rows, k)
		}
	})
}

// Remove removes the row of k, if there is one.
func (t Table[K, V]) Remove(k K) {
	if before, had := t.Rows[k]; had {
		t.log.do(func() { delete(t.Rows, k) }, func() { t.Rows[k] = before })
	}
}
