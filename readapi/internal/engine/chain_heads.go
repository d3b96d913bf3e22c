package engine

import (
	"github.com/jackc/pgx/v5"
)

// Ready reports whether each of these projections has a block.
func Ready(s *Snapshot, projections ...string) bool {
	all := true
	for _, name := range projections {
		_, ok := s.Tip(name)
		all = all && ok
	}
	return all
}

// QueueHeads adds a query for each list of steps that an active projection folds: the number of its last step, by the
// schema that holds the list.
func QueueHeads(b *Batch) (heads map[string]*Result[int64]) {
	heads = map[string]*Result[int64]{}
	for _, v := range b.Snapshot.State.Versions {
		if v.Active && v.Input != "log" && heads[v.Input] == nil {
			heads[v.Input] = Query(b, func(n *int64) []any { return []any{n} },
				`SELECT {}, coalesce(max(step), 0) FROM `+pgx.Identifier{v.Input, "step"}.Sanitize())
		}
	}
	return heads
}
