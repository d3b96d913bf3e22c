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
	t.Rows[k] = v
	t.log.add(&rowChange[K, V]{rows: t.Rows, key: k, before: before, after: v, had: had, has: true})
}

// Remove removes the row of k, if there is one.
func (t Table[K, V]) Remove(k K) {
	before, had := t.Rows[k]
	if !had {
		return
	}
	delete(t.Rows, k)
	t.log.add(&rowChange[K, V]{rows: t.Rows, key: k, before: before, had: true})
}

// rowChange is the change of one row.
type rowChange[K comparable, V any] struct {
	rows          map[K]V
	key           K
	before, after V
	had, has      bool // whether there was a row before the change, and is one after it
}

func (c *rowChange[K, V]) Undo() { put(c.rows, c.key, c.before, c.had) }
func (c *rowChange[K, V]) Redo() { put(c.rows, c.key, c.after, c.has) }

func put[K comparable, V any](rows map[K]V, k K, v V, present bool) {
	if present {
		rows[k] = v
	} else {
		delete(rows, k)
	}
}
