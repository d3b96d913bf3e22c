package engine

import (
	"slices"
	"sync/atomic"
)

// learned is what the answers of an operation depend on whose author does not say so: the tips of the projections that its
// handler reads. The engine learns their names while the handler runs. The set only grows.
//
// Invariant: an answer is stored under a key that is made of at least those projections that its handler has read in that
// very run. A handler is a function of its parameters and of what it reads. So an answer that is found under a key is right, even
// if the key is made of further projections. Processes that have learned different sets make different keys: they miss each
// other's answers, and never take a wrong one.
type learned struct{ dependencies atomic.Pointer[Dependencies] }

// nothingLearned is what answers depend on while no handler has read anything: on all that there is.
var nothingLearned = &Dependencies{Register: true}

// known returns what was learned so far. It must not be changed, and is another pointer after each growth.
func (l *learned) known() *Dependencies {
	if d := l.dependencies.Load(); d != nil {
		return d
	}
	return nothingLearned
}

// add adds projections.
func (l *learned) add(names []string) {
	for {
		before := l.dependencies.Load()
		var tips []string
		if before != nil {
			tips = before.tips
		}
		if !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(tips, name) }) {
			return
		}
		more := slices.Concat(tips, names)
		slices.Sort(more)
		more = slices.Compact(more)
		if l.dependencies.CompareAndSwap(before, &Dependencies{tips: more}) {
			return
		}
	}
}
