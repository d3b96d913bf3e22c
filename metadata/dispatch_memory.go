package metadata

import (
	"maps"
	"time"

	"strata/domain/fetch"
)

// source is the wants of one kind in one schema.
type source struct {
	schema string
	kind   fetch.Kind
}

// dispatchMemory remembers the revisions that have a job but whose rows are still there. The dispatcher skips them, so
// that they don't starve the wants behind them. Forgetting one only costs a look-up in River's index.
type dispatchMemory map[source]map[revision]time.Time

// rememberFor is how long the dispatcher assumes that a revision has a job. After that it asks River again, which may
// have lost the job.
const rememberFor = time.Minute

// prune forgets the revisions of a source that are no longer due, and those that were added too long ago.
func (m dispatchMemory) prune(s source, due []dueWant) {
	if len(m[s]) == 0 {
		return
	}
	left := make(map[revision]time.Time, len(due))
	for _, w := range due {
		if added, ok := m[s][w.revision]; ok && time.Since(added) < rememberFor {
			left[w.revision] = added
		}
	}
	m[s] = left
}

func (m dispatchMemory) has(s source, r revision) bool {
	_, ok := m[s][r]
	return ok
}

func (m dispatchMemory) add(s source, r revision) {
	if m[s] == nil {
		m[s] = map[revision]time.Time{}
	}
	m[s][r] = time.Now()
}

// keepVersions forgets the sources of all versions but these.
func (m dispatchMemory) keepVersions(versions []version) {
	schemas := map[string]bool{}
	for _, v := range versions {
		schemas[v.schema] = true
	}
	maps.DeleteFunc(m, func(s source, _ map[revision]time.Time) bool { return !schemas[s.schema] })
}
