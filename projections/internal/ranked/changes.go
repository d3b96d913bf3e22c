package ranked

import (
	"maps"
	"slices"
)

// Changes collects the entries that lists gain and lose in a transaction. An entry that is both added and removed, in
// any order, is no change.
type Changes struct {
	lists  *Lists
	byList map[string][]change
}

// change is the number of entries that a list gains at a key, below zero if it loses entries.
type change struct {
	key Key
	n   int64
}

// Add records that a list gains an entry.
func (c *Changes) Add(list string, key Key) { c.byList[list] = append(c.byList[list], change{key, 1}) }

// Remove records that a list loses an entry.
func (c *Changes) Remove(list string, key Key) {
	c.byList[list] = append(c.byList[list], change{key, -1})
}

// listChange holds the changes of one list.
type listChange struct {
	name    string
	changes []change // in the order of keys, at most one for each, none with n = 0
	n       int64    // the sum of changes
	now     int64    // the number of entries after the changes
}

// take returns the changes of lists, in the order of their names, and forgets them.
func (c *Changes) take() []*listChange {
	var all []*listChange
	for _, name := range slices.Sorted(maps.Keys(c.byList)) {
		l := &listChange{name: name, changes: sum(c.byList[name])}
		for _, change := range l.changes {
			l.n += change.n
		}
		if len(l.changes) > 0 {
			all = append(all, l)
		}
	}
	clear(c.byList)
	return all
}

// sum sorts changes by key, adds up those with equal keys, and drops those that add up to 0.
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
