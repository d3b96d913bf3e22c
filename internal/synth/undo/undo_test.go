package undo

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// state has one of each kind of table.
type state struct {
	log    Log
	table  Table[int, int]
	roster *Roster[int]
	cell   *Cell[int]
}

func newState() *state {
	s := new(state)
	s.table, s.roster, s.cell = NewTable[int, int](&s.log), NewRoster[int](&s.log), NewCell[int](&s.log)
	return s
}

// change makes random changes.
func (s *state) change(r *rapid.T) {
	for range rapid.IntRange(0, 20).Draw(r, "changes") {
		k := rapid.IntRange(0, 5).Draw(r, "key")
		switch rapid.IntRange(0, 4).Draw(r, "kind") {
		case 0:
			s.table.Set(k, rapid.Int().Draw(r, "value"))
		case 1:
			s.table.Remove(k)
		case 2:
			s.roster.Add(k)
		case 3:
			s.roster.Remove(k)
		case 4:
			s.cell.Set(k)
		}
	}
}

// snapshot is a copy of a state.
type snapshot struct {
	rows  map[int]int
	list  []int
	index map[int]int
	value int
}

func (s *state) snapshot() snapshot {
	return snapshot{maps.Clone(s.table.Rows), slices.Clone(s.roster.List), maps.Clone(s.roster.index), s.cell.Value}
}

func (a snapshot) equal(b snapshot) bool {
	return maps.Equal(a.rows, b.rows) && slices.Equal(a.list, b.list) && maps.Equal(a.index, b.index) && a.value == b.value
}

func TestChangesAreUndoneAndRedone(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := newState()
		s.change(r)
		s.log.Take()
		before := s.snapshot()
		s.change(r)
		after, changes := s.snapshot(), s.log.Take()
		for i, k := range after.list {
			if after.index[k] != i {
				r.Fatalf("the index has %d at %d, want %d", k, after.index[k], i)
			}
		}
		All(changes)
		if got := s.snapshot(); !got.equal(before) {
			r.Fatalf("undone: got %v, want %v", got, before)
		}
		s.log.Repeat(changes)
		if got := s.snapshot(); !got.equal(after) {
			r.Fatalf("repeated: got %v, want %v", got, after)
		}
		All(s.log.Take())
		if got := s.snapshot(); !got.equal(before) {
			r.Fatalf("undone again: got %v, want %v", got, before)
		}
	})
}

func TestRollback(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := newState()
		s.change(r)
		mark, before := s.log.Mark(), s.snapshot()
		s.change(r)
		s.log.Rollback(mark)
		if got := s.snapshot(); !got.equal(before) || s.log.Mark() != mark {
			r.Fatalf("got %v and %d changes, want %v and %d", got, s.log.Mark(), before, mark)
		}
	})
}
