package register

import (
	"errors"

	"github.com/jackc/pgx/v5"
)

// ErrMoved is what a batch fails with when the database is not in the state that was assumed.
var ErrMoved = errors.New("a projection has moved meanwhile")

// ErrIsolation is what a batch fails with when its queries don't see one snapshot: the connection's default isolation is
// not REPEATABLE READ, so that nothing can be assumed.
var ErrIsolation = errors.New("the default isolation of the connection is not repeatable read")

// QueueAssumption adds to a batch that is sent without a transaction of its own, as its first query, the check that these
// versions stand where they are said to stand. Rows change together with the position, so that the other queries of the
// batch then see just the rows of that position. Whether the versions are still active is not asked: they were a moment
// ago, and so is everything that is answered from memory.
//
// Such a batch is one implicit transaction, which has the connection's default isolation.
func QueueAssumption(b *pgx.Batch, versions []*Version) {
	check := func(row pgx.Row) error {
		var isolated bool
		var standing int
		switch err := row.Scan(&isolated, &standing); {
		case err != nil:
			return err
		case !isolated:
			return ErrIsolation
		case standing != len(versions):
			return ErrMoved
		}
		return nil
	}
	if len(versions) == 1 { // the plainest query, because it is part of most requests
		v := versions[0]
		b.Queue(`
			SELECT current_setting('transaction_isolation') = 'repeatable read', count(*)
			FROM strata.projection WHERE name = $1 AND version = $2 AND epoch = $3 AND position = $4`,
			v.Name, v.Number, v.Epoch, v.Position).QueryRow(check)
		return
	}
	epochs, positions := make([][16]byte, len(versions)), make([]int64, len(versions))
	for i, v := range versions {
		epochs[i], positions[i] = v.Epoch, v.Position
	}
	b.Queue(`
		SELECT current_setting('transaction_isolation') = 'repeatable read', count(*)
		FROM unnest($1::uuid[], $2::bigint[]) AS assumed (epoch, position)
		JOIN strata.projection p USING (epoch, position)`, epochs, positions).QueryRow(check)
}
