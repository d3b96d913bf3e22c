package register

import (
	"errors"
	"fmt"
	"strings"
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
	standing := make([]string, versions)
	for i := range standing { // each is the plainest look-up: a join would cost a short query as much as its own rows
		a := n + assumptionArgs*i
		standing[i] = fmt.Sprintf(`EXISTS (SELECT FROM strata.projection WHERE name = $%d AND version = $%d AND epoch = $%d AND position = $%d)`, a+1, a+2, a+3, a+4)
	}
	return `CASE WHEN current_setting('transaction_isolation') <> 'repeatable read' THEN 'isolation' WHEN ` + strings.Join(standing, " AND ") + ` THEN 'standing' ELSE 'moved' END`
}

// assumptionArgs is how many arguments there are for each version.
const assumptionArgs = 4

// AssumptionArgs are the arguments of an Assumption.
func AssumptionArgs(versions []*Version) []any {
	args := make([]any, 0, assumptionArgs*len(versions))
	for _, v := range versions {
		args = append(args, v.Name, v.Number, v.Epoch, v.Position)
	}
	return args
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
