package ranked

import (
	"maps"
	"slices"
)

// Changes are entries that lists get and lose in a transaction. What is added and removed again, in any order, is no
// change.
type Changes struct {
	lists *Lists
	of    map[string][]change
}

// change is how many entries more there are with a key.
type change struct {
	key Key
	n   int64
}

// Add says that a list got an entry.
func (c *Changes) Add(list string, key Key) { c.of[list] = append(c.of[list], change{key, 1}) }

// Remove says that a list lost an entry.
func (c *Changes) Remove(list string, key Key) { c.of[list] = append(c.of[list], change{key, -1}) }

// changed is a list with what is new about it.
type changed struct {
	name    string
	changes []change // by key, one of each, none of nothing
	n       int64    // entries more than before
	now     int64    // entries that there are now
}

// take gives the lists that change, by name, and forgets the changes.
func (c *Changes) take() []*changed {
	var all []*changed
	for _, name := range slices.Sorted(maps.Keys(c.of)) {
		l := &changed{name: name, changes: sum(c.of[name])}
		for _, change := range l.changes {
			l.n += change.n
		}
		if len(l.changes) > 0 {
			all = append(all, l)
		}
	}
	clear(c.of)
	return all
}

// sum puts changes in order and equal keys together.
func sum(changes []change) []change {
	byKey := func(a, b change) int { return a.key.Compare(b.key) }
	if !slices.IsSortedFunc(changes, byKey) {
		slices.SortFunc(changes, byKey)
	}
	sums := changes[:0]
	for _, change := range changes {
		if last := len(sums) - 1; last >= 0 && sums[last].key == change.key {
			sums[last].n += change.n
		} else {
			sums = append(sums, change)
		}
	}
	return slices.DeleteFunc(sums, func(c change) bool { return c.n == 0 })
}
