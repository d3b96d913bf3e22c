package register

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/shard"
)

// changesSQL reads what active versions have changed: of those whose epoch is among $1, after the position beside it in $2; of
// the others, all. $3 are the projections; null means all. Per version, the summary comes first, if it has changes that are
// wanted, and then the changes after it, in order.
const changesSQL = `
	WITH wanted AS (
		SELECT p.name, p.epoch, coalesce(known.position, -1) AS after
		FROM strata.projection p
		-- A version that is less advanced than before comes from another server, so all of its changes are read.
		LEFT JOIN unnest($1::uuid[], $2::bigint[]) AS known (epoch, position) ON known.epoch = p.epoch AND known.position <= p.position
		-- Of a join with strata.active, which is too small to have statistics, the planner would expect many rows. For a query that
		-- seems costly, Postgres compiles code, which takes longer than the query.
		WHERE p.version = (SELECT a.version FROM strata.active a WHERE a.name = p.name) AND ($3::text[] IS NULL OR p.name = ANY ($3))
	)
	SELECT w.name, s.position, s.positions, NULL::bytea AS shards
	FROM wanted w JOIN strata.change_summary s ON s.epoch = w.epoch AND s.position > w.after
	UNION ALL
	SELECT w.name, c.position, NULL, c.shards
	FROM wanted w CROSS JOIN LATERAL (
		SELECT c.position, c.shards FROM strata.change c
		WHERE c.epoch = w.epoch AND c.position > w.after
		OFFSET 0 -- keeps Postgres from joining the whole table: few changes are after a position, and an index finds these
	) c
	ORDER BY 1, 2`

// queueChanges adds the query that reads the changed shards of active versions into s, whose versions must be read before it in
// the same batch; of the named projections only, nil being all. What before has already is not read again; it may be nil.
func (s *State) queueChanges(b *pgx.Batch, projections []string, before *State) {
	var epochs [][16]byte
	var positions []int64
	if before != nil {
		for _, v := range before.active {
			epochs, positions = append(epochs, v.Epoch), append(positions, v.Position)
		}
	}
	b.Queue(changesSQL, epochs, positions, projections).Query(func(rows pgx.Rows) error {
		for name, v := range s.active {
			if projections != nil && !slices.Contains(projections, name) {
				continue
			}
			v.shards = before.shardsOf(name, v)
		}
		changes := map[string][]change{}
		var name string
		var position int64
		var positions, shards []byte
		_, err := pgx.ForEachRow(rows, []any{&name, &position, &positions, &shards}, func() (err error) {
			if positions != nil {
				s.active[name].shards, err = parsePages(positions)
			} else {
				var list []int32
				list, err = shard.Decode(shards)
				changes[name] = appendChanges(changes[name], list, position)
			}
			if err != nil {
				return fmt.Errorf("read what projection %s has changed up to %d: %w", name, position, err)
			}
			return nil
		})
		for name, list := range changes {
			s.active[name].shards = s.active[name].shards.with(list)
		}
		return err
	})
}

// shardsOf returns the shards of an active version of s as the state has them after which v is read; s may be nil.
func (s *State) shardsOf(name string, v *Version) *pages {
	if s != nil {
		if w := s.active[name]; w != nil && w.Epoch == v.Epoch && w.Position <= v.Position {
			return w.shards
		}
	}
	return &pages{}
}

// parsePages returns the pages that a summary has.
func parsePages(summary []byte) (*pages, error) {
	positions := new([shard.Count]int64)
	if err := shard.DecodePositions(summary, positions); err != nil {
		return nil, err
	}
	p := &pages{}
	for i := range p {
		page := [pageSize]int64(positions[i*pageSize:])
		if page != ([pageSize]int64{}) {
			p[i] = &page
		}
	}
	return p, nil
}
