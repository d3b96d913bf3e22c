// Package undo provides tables whose changes can be undone and done again, so that a generator can leave a branch of a
// chain and come back to it.
package undo

import "slices"

// Change is one change of a state.
type Change struct{ undo, redo func() }

// Log collects the changes of all tables of a state, oldest first.
type Log struct{ changes []Change }

// Mark returns the current position, for Rollback.
func (l *Log) Mark() int { return len(l.changes) }

// Rollback undoes all changes after mark.
func (l *Log) Rollback(mark int) {
	All(l.changes[mark:])
	clear(l.changes[mark:])
	l.changes = l.changes[:mark]
}

// Take returns all changes and removes them from the log.
func (l *Log) Take() []Change {
	changes := slices.Clone(l.changes)
	clear(l.changes)
	l.changes = l.changes[:0]
	return changes
}

// Repeat does undone changes again and logs them.
func (l *Log) Repeat(changes []Change) {
	Redo(changes)
	l.changes = append(l.changes, changes...)
}

// do makes a change, and logs how to undo it.
func (l *Log) do(redo, undo func()) {
	redo()
	l.changes = append(l.changes, Change{undo, redo})
}

// All undoes changes, newest first.
func All(changes []Change) {
	for _, c := range slices.Backward(changes) {
		c.undo()
	}
}

// Redo does undone changes again, oldest first, without logging them.
func Redo(changes []Change) {
	for _, c := range changes {
		c.redo()
	}
}
