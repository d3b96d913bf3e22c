package metadata

import (
	"maps"
	"time"

	"strata/domain/fetch"
)

// source is where wants of one kind come from.
type source struct {
	schema string
	kind   fetch.Kind
}

// dispatched remembers which raisings have a job while their rows are still there, so that the dispatcher looks past
// them and what stands behind is not starved. Forgetting costs a look-up in River's index, nothing else.
type dispatched map[source]map[raising]time.Time

// rememberFor bounds how long a raising is taken to have a job without asking River again, which may have lost it.
const rememberFor = time.Minute

// keep forgets what a source no longer shows, and what was noted too long ago.
func (d dispatched) keep(s source, seen []due) {
	if len(d[s]) == 0 {
		return
	}
	kept := make(map[raising]time.Time, len(seen))
	for _, w := range seen {
		if noted, ok := d[s][w.raising]; ok && time.Since(noted) < rememberFor {
			kept[w.raising] = noted
		}
	}
	d[s] = kept
}

func (d dispatched) has(s source, r raising) bool {
	_, ok := d[s][r]
	return ok
}

func (d dispatched) note(s source, r raising) {
	if d[s] == nil {
		d[s] = map[raising]time.Time{}
	}
	d[s][r] = time.Now()
}

// only forgets the sources of other versions than these. One that is behind the log for the moment keeps its own.
func (d dispatched) only(versions []version) {
	schemas := map[string]bool{}
	for _, v := range versions {
		schemas[v.schema] = true
	}
	maps.DeleteFunc(d, func(s source, _ map[raising]time.Time) bool { return !schemas[s.schema] })
}
