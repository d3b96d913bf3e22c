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
	before := c.Value
	c.log.do(func() { c.Value = v }, func() { c.Value = before })
}
