package undo

// Cell is a single value whose changes are logged.
type Cell[V any] struct {
	Value V // only to read
	log   *Log
}

// NewCell returns a cell with the zero value, which logs its changes to l.
func NewCell[V any](l *Log) *Cell[V] { return &Cell[V]{log: l} }

// Set sets the value.
func (c *Cell[V]) Set(v V) {
	c.log.add(&cellChange[V]{cell: c, before: c.Value, after: v})
	c.Value = v
}

// cellChange is the change of a cell.
type cellChange[V any] struct {
	cell          *Cell[V]
	before, after V
}

func (c *cellChange[V]) Undo() { c.cell.Value = c.before }
func (c *cellChange[V]) Redo() { c.cell.Value = c.after }
