package synthchain

// change is one thing that happened to a state and can be taken back.
type change interface {
	undo()
	redo()
}

// changelog collects the changes of all tables of a state, in order.
type changelog struct{ changes []change }

// mark is the present position, for rollback.
func (l *changelog) mark() int { return len(l.changes) }

// rollback undoes everything that happened after mark.
func (l *changelog) rollback(mark int) {
	undoAll(l.changes[mark:])
	clear(l.changes[mark:])
	l.changes = l.changes[:mark]
}

// take returns what happened after mark and forgets it.
func (l *changelog) take(mark int) []change {
	taken := make([]change, len(l.changes)-mark)
	copy(taken, l.changes[mark:])
	clear(l.changes[mark:])
	l.changes = l.changes[:mark]
	return taken
}

// repeat does changes again that were undone, and notes them.
func (l *changelog) repeat(changes []change) {
	for _, c := range changes {
		c.redo()
	}
	l.changes = append(l.changes, changes...)
}

func undoAll(changes []change) {
	for i := len(changes) - 1; i >= 0; i-- {
		changes[i].undo()
	}
}

// table is a map whose changes are logged.
type table[K comparable, V any] struct {
	rows map[K]V
	log  *changelog
}

func newTable[K comparable, V any](log *changelog) table[K, V] {
	return table[K, V]{rows: make(map[K]V), log: log}
}

func (t *table[K, V]) get(k K) V { return t.rows[k] }

func (t *table[K, V]) has(k K) bool {
	_, ok := t.rows[k]
	return ok
}

func (t *table[K, V]) set(k K, v V) {
	old, had := t.rows[k]
	t.rows[k] = v
	t.log.changes = append(t.log.changes, &rowChange[K, V]{rows: t.rows, key: k, old: old, now: v, had: had, has: true})
}

func (t *table[K, V]) remove(k K) {
	old, had := t.rows[k]
	if !had {
		return
	}
	delete(t.rows, k)
	t.log.changes = append(t.log.changes, &rowChange[K, V]{rows: t.rows, key: k, old: old, had: true})
}

// rowChange is the change of one row.
type rowChange[K comparable, V any] struct {
	rows     map[K]V
	key      K
	old, now V
	had, has bool
}

func (c *rowChange[K, V]) undo() { put(c.rows, c.key, c.old, c.had) }
func (c *rowChange[K, V]) redo() { put(c.rows, c.key, c.now, c.has) }

func put[K comparable, V any](rows map[K]V, k K, v V, present bool) {
	if present {
		rows[k] = v
	} else {
		delete(rows, k)
	}
}
