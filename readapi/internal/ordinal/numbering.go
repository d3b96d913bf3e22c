package ordinal

import (
	"strata/readapi/internal/engine"
)

// Numbering holds the highest and the lowest number of an inscription, and how many numbers between them are missing.
type Numbering struct {
	Highest, Lowest *int64
	lost            int64
}

// QueryNumbering adds the query for the numbering to a batch.
func QueryNumbering(b *engine.Batch) *engine.Result[Numbering] {
	return engine.Query(b, func(n *Numbering) []any { return []any{&n.Highest, &n.Lowest, &n.lost} }, `
		SELECT {},
		       (SELECT max(number) FROM {inscriptions}.inscription WHERE number >= 0),
		       (SELECT min(number) FROM {inscriptions}.inscription WHERE number < 0),
		       n FROM {inscriptions}.missing`)
}

// Missing returns how many numbers are missing between the lowest and the highest; nil when there are no inscriptions.
func (n *Numbering) Missing() *int64 {
	if n.Highest == nil && n.Lowest == nil {
		return nil
	}
	return &n.lost
}
