package register

import (
	"errors"
	"fmt"
)

// ErrMoved is what a query fails with when the database is not in the state that was assumed.
var ErrMoved = errors.New("a projection has moved meanwhile")

// ErrIsolation is what a query fails with when what is sent together does not see one snapshot: the connection's default
// isolation is not REPEATABLE READ, so that nothing can be assumed.
var ErrIsolation = errors.New("the default isolation of the connection is not repeatable read")

// Assumption is an SQL expression, for a query that has n arguments of its own, that says whether so many versions stand
// where AssumptionArgs, which are its further arguments, say they stand. Rows change together with the position, so that
// a query of the same snapshot then sees just the rows of that position. Read the value with Holds.
//
// Whether the versions are still active is not asked: they were a moment ago, and so is everything that is answered
// from memory.
func Assumption(versions, n int) string {
	var standing string
	if versions == 1 { // the plainest look-up, because it is part of most requests
		standing = fmt.Sprintf(`EXISTS (SELECT FROM strata.projection WHERE name = $%d AND version = $%d AND epoch = $%d AND position = $%d)`, n+1, n+2, n+3, n+4)
	} else {
		standing = fmt.Sprintf(`(SELECT count(*) FROM unnest($%d::uuid[], $%d::bigint[]) AS assumed (epoch, position)
			JOIN strata.projection USING (epoch, position)) = cardinality($%[2]d::bigint[])`, n+1, n+2)
	}
	return `CASE WHEN current_setting('transaction_isolation') <> 'repeatable read' THEN 'isolation' WHEN ` + standing + ` THEN 'standing' ELSE 'moved' END`
}

// AssumptionArgs are the arguments of an Assumption.
func AssumptionArgs(versions []*Version) []any {
	if len(versions) == 1 {
		v := versions[0]
		return []any{v.Name, v.Number, v.Epoch, v.Position}
	}
	epochs, positions := make([][16]byte, len(versions)), make([]int64, len(versions))
	for i, v := range versions {
		epochs[i], positions[i] = v.Epoch, v.Position
	}
	return []any{epochs, positions}
}

// Holds is what the value of an Assumption means; empty when no row had one.
func Holds(value string) error {
	switch value {
	case "standing":
		return nil
	case "isolation":
		return ErrIsolation
	}
	return ErrMoved
}
