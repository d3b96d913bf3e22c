package register

import (
	"slices"

	"github.com/jackc/pgx/v5"
)

// Shard is a shard of the active version of a projection.
type Shard struct {
	Projection string
	Number     int32
}

// Queue adds to a transaction's batch the queries that read the register, and when these shards of the active versions last
// changed. The state is complete when the batch has run. What an earlier state, which may be nil, knows of changes is not read
// again.
func Queue(b *pgx.Batch, shards []Shard, before *State) *State {
	s := queue(b)
	if len(shards) == 0 {
		return s
	}
	var projections []string
	for _, shard := range shards {
		if !slices.Contains(projections, shard.Projection) {
			projections = append(projections, shard.Projection)
		}
	}
	s.queueChanges(b, projections, before)
	return s
}
