package ranked

import (
	_ "embed"

	"strata/projections"
)

// Tables is the DDL, for a projection's Spec: it goes where the projection's own DDL says {ranked}.
//
//go:embed tables.sql
var Tables string

// Most entries that a list has without parts, and a part of a longer one.
const Most = 1024

// Sources gives the SELECT of the keys of a list, with columns named a, b and c of type bigint, in no order. The query
// qualifies its tables by {schema}; the numbers of args begin at $1. An index must give its rows in the order of the keys
// for conditions on a, b and c; where the index is partial, its condition belongs into the query as text.
type Sources func(list string) (query string, args []any)

// Lists are those of a projection.
type Lists struct {
	spec    projections.Spec
	sources Sources
	most    int64
}

// New describes the lists of a projection whose tables include Tables.
func New(spec projections.Spec, sources Sources) *Lists {
	return &Lists{spec: spec, sources: sources, most: Most}
}

// Limit makes parts smaller than Most, so that tests have them in little worlds. Readers that count on Most do not mind.
func (l *Lists) Limit(most int64) { l.most = most }

// fill is how many entries the parts get that a longer one is cut into.
func (l *Lists) fill() int64 { return l.most * 3 / 4 }

// few entries are so few that a part is put together with the next one.
func (l *Lists) few() int64 { return l.most / 8 }

// Changes begins a batch of changes, which is empty.
func (l *Lists) Changes() *Changes { return &Changes{lists: l, of: map[string][]change{}} }
