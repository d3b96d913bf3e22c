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

// queueHeads adds queries for the ends of the lists of steps that active projections fold, by schema.
func QueueHeads(b *Batch) (heads map[string]*Result[int64]) {
	heads = map[string]*Result[int64]{}
	for _, v := range b.Snapshot.State.Versions {
		if v.Active && v.Input != "log" && heads[v.Input] == nil {
			heads[v.Input] = Query(b, func(n *int64) []any { return []any{n} },
				`SELECT ARRAY[]::bigint[], coalesce(max(step), 0) FROM `+pgx.Identifier{v.Input, "step"}.Sanitize())
		}
	}
	return heads
}
