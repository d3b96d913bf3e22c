package register

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMoved is the error of a query if the database is not in the assumed state.
var ErrMoved = errors.New("a projection has moved meanwhile")

// ErrIsolation is the error of a query if queries that are sent together don't see one snapshot: the connection's default
// isolation is not REPEATABLE READ, so that no state can be assumed.
var ErrIsolation = errors.New("the default isolation of the connection is not repeatable read")

// Assumption returns an SQL expression that checks the positions of versions. It is for a query that has n arguments of
// its own; AssumptionArgs returns the further arguments, the expected positions. Rows change together with the position,
// so that a query in the same snapshot then sees exactly the rows of that position. Interpret the value with Holds.
//
// The expression does not check whether the versions are still active. They were a moment ago, and answers from memory
// are just as old.
func Assumption(versions, n int) string {
	standing := make([]string, versions)
	for i := range standing { // one simple look-up each: a join would cost as much as the rows of a short query
		a := n + assumptionArgs*i
		standing[i] = fmt.Sprintf(
			`EXISTS (SELECT FROM strata.projection WHERE name = $%d AND version = $%d AND epoch = $%d AND position = $%d)`, a+1, a+2, a+3, a+4)
	}
	return `CASE WHEN current_setting('transaction_isolation') <> 'repeatable read' THEN 'isolation' WHEN ` +
		strings.Join(standing, " AND ") + ` THEN 'standing' ELSE 'moved' END`
}

// assumptionArgs is the number of arguments for each version.
const assumptionArgs = 4

// AssumptionArgs returns the arguments of an Assumption about these versions.
func AssumptionArgs(versions []*Version) []any {
	args := make([]any, 0, assumptionArgs*len(versions))
	for _, v := range versions {
		args = append(args, v.Name, v.Number, v.Epoch, v.Position)
	}
	return args
}

// Holds returns nil if an Assumption with this value holds, otherwise ErrMoved or ErrIsolation. The value is empty if no
// row had one.
func Holds(value string) error {
	switch value {
	case "standing":
		return nil
	case "isolation":
		return ErrIsolation
	}
	return ErrMoved
}
