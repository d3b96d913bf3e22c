package follow

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/projections"
)

// errMoved is returned by apply when the position in the database is not the expected one: another process has applied
// these items, or a commit succeeded whose answer was lost.
var errMoved = errors.New("the position was moved by somebody else")

// FoldError says what stopped a projection: which item, and why.
type FoldError struct {
	Projection projections.Schema
	Position   int64
	LogSeq     int64
	Err        error
}

func (e *FoldError) Error() string {
	return fmt.Sprintf("projection %s stopped at position %d (event %d of the log): %v; "+
		"see /audit/v1/events/%d, then resume it with: strata projections resume %s",
		e.Projection, e.Position, e.LogSeq, e.Err, e.LogSeq, e.Projection.Name)
}

func (e *FoldError) Unwrap() error { return e.Err }

// transient reports whether an error is due to the state of the database rather than to the items. Then the same call
// may succeed later, and waiting is right.
func transient(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) { // whatever the server says: nothing of the items has reached it
		return true
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code[:2] {
		case "08", // connection exception
			"40", // transaction rollback: serialization failure, deadlock
			"53", // insufficient resources: disk full, too many connections
			"57", // operator intervention: shutdown, cannot connect now
			"58", // system error outside Postgres
			"XX": // internal error, such as a file that cannot be written
			return true
		}
		switch pg.Code {
		case "25006", // read-only transaction: a standby not promoted yet
			"25P03", // idle-in-transaction timeout: this process was stopped for a while
			"55P03": // lock not available in time
			return true
		}
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "conn closed")
}
