package ordinal

import (
	"strata/readapi/internal/engine"
)

// numbering is how far numbers go, and how many between them are missing.
type Numbering struct {
	Highest, Lowest *int64
	lost            int64
}

// queryNumbering adds a query for it.
func QueryNumbering(b *engine.Batch) *engine.Result[Numbering] {
	return engine.Query(b, func(n *Numbering) []any { return []any{&n.Highest, &n.Lowest, &n.lost} }, `
		SELECT ARRAY[]::bigint[],
		       (SELECT max(number) FROM {inscriptions}.inscription WHERE number >= 0),
		       (SELECT min(number) FROM {inscriptions}.inscription WHERE number < 0),
		       n FROM {inscriptions}.missing`)
}

// missing is how many numbers there are not between those that there are; nil without any.
func (n *Numbering) Missing() *int64 {
	if n.Highest == nil && n.Lowest == nil {
		return nil
	}
	return &n.lost
}
