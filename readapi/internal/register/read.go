package register

import "github.com/jackc/pgx/v5"

// Shard is a shard of the active version of a projection.
type Shard struct {
	Projection string
	Number     int32
}

// Queue adds to a transaction's batch the queries that read the register, and when the shards of the active versions of these
// projections last changed. The state is complete when the batch has run. What an earlier state, which may be nil, knows of
// changes is not read again.
func Queue(b *pgx.Batch, projections []string, before *State) *State {
	s := queue(b)
	if len(projections) > 0 {
		s.queueChanges(b, projections, before)
	}
	return s
}
