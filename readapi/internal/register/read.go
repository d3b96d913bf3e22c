package register

import (
	"github.com/jackc/pgx/v5"
)

// Shard is a shard of the active version of a projection.
type Shard struct {
	Projection string
	Number     int32
}

// Queue adds to a transaction's batch the queries that read the register, and the positions at which these shards of the
// active versions last changed. The state is complete when the batch has run.
func Queue(b *pgx.Batch, shards []Shard) *State {
	s := queue(b)
	if len(shards) == 0 {
		return s
	}
	names, numbers := make([]string, len(shards)), make([]int32, len(shards))
	for i, shard := range shards {
		names[i], numbers[i] = shard.Projection, shard.Number
	}
	b.Queue(`
		SELECT s.name, s.shard, s.position
		FROM unnest($1::text[], $2::int[]) AS wanted (name, shard)
		JOIN strata.active a USING (name)
		JOIN strata.shard s USING (name, version, shard)`, names, numbers).Query(func(rows pgx.Rows) error {
		positions := make(map[Shard]int64, len(shards))
		for rows.Next() {
			var shard Shard
			var position int64
			if err := rows.Scan(&shard.Projection, &shard.Number, &position); err != nil {
				return err
			}
			positions[shard] = position
		}
		for name, v := range s.active {
			v.changed = func(number int32) int64 { return positions[Shard{name, number}] }
		}
		return rows.Err()
	})
	return s
}
