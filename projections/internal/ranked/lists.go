package ranked

import (
	_ "embed"

	"strata/projections"
)

// Tables is the DDL of the package's tables. A projection puts it into its own DDL in place of {ranked}.
//
//go:embed tables.sql
var Tables string

// Most is the largest number of entries that a list has without parts, and the largest of a part unless its keys are
// equal.
const Most = 1024

// Sources returns the SELECT of the keys of a list, with columns named a, b and c of type bigint, in no order. The
// query qualifies its tables by {schema}; its args are numbered from $1. An index must give its rows in the order of
// the keys for conditions on a, b and c. If that index is partial, the query must spell out its condition as text.
type Sources func(list string) (query string, args []any)

// Lists are the lists of a projection.
type Lists struct {
	spec    projections.Spec
	sources Sources
	most    int64
	// sectioned lists have sections, of at most parts times most entries.
	sectioned bool
	parts     int64
}

// New returns the lists of a projection whose tables include Tables.
func New(spec projections.Spec, sources Sources) *Lists {
	return &Lists{spec: spec, sources: sources, most: Most, parts: sectionParts}
}

// Sectioned makes long lists have sections. A version of a projection has it from its first row on or not at all, because
// sections follow from changes alone. So to begin with it, raise the version.
func (l *Lists) Sectioned() *Lists {
	l.sectioned = true
	return l
}

// Limit makes parts smaller than Most, and sections of fewer parts, so that short lists in tests have some. Readers work
// with any size up to Most.
func (l *Lists) Limit(most int64) { l.most, l.parts = most, 4 }

// sectionMost returns the largest number of entries that a list has without sections, and the largest of a section unless
// it has one part.
func (l *Lists) sectionMost() int64 { return l.most * l.parts }

// fill returns the number of entries up to which cut fills a part.
func (l *Lists) fill() int64 { return l.most * 3 / 4 }

// few returns the number of entries below which a part is joined with the next one.
func (l *Lists) few() int64 { return l.most / 8 }

// Changes returns an empty batch of changes.
func (l *Lists) Changes() *Changes { return &Changes{lists: l, byList: map[string][]change{}} }
