package projections

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errMoved is returned by apply when the position in the database is not the expected one: another process has
// applied these items, or a commit succeeded whose answer was lost.
var errMoved = errors.New("the position was moved by somebody else")

// FoldError is what stopped a projection: which one, at which item, and why.
type FoldError struct {
	Projection string
	Position   int64
	LogSeq     int64
	Err        error
}

func (e *FoldError) Error() string {
	return fmt.Sprintf("projection %s stopped at position %d (event %d of the log): %v; "+
		"see /audit/v1/events/%d, then resume it with: strata projections resume %s",
		e.Projection, e.Position, e.LogSeq, e.Err, e.LogSeq, strings.SplitN(e.Projection, "_v", 2)[0])
}

func (e *FoldError) Unwrap() error { return e.Err }

// transient says whether an error is the database's state rather than the items': then the same call may succeed
// later, and waiting is right.
func transient(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code[:2] {
		case "08", // connection exception
			"40", // transaction rollback: serialization failure, deadlock
			"53", // insufficient resources: disk full, too many connections
			"57", // operator intervention: shutdown, cannot connect now
			"58": // system error outside Postgres
			return true
		}
		return pg.Code == "25006" // read-only transaction: a standby not promoted yet
	}
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "conn closed")
}

// guarded turns a panic of f into an error, so that one projection's bug leaves the others running.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// Resume lets a failed version try again.
func Resume(ctx context.Context, pool *pgxpool.Pool, name string) error {
	tag, err := pool.Exec(ctx, `UPDATE strata.projection SET state = 'building', updated_at = now() WHERE name = $1 AND state = 'failed'`, name)
	if err != nil {
		return fmt.Errorf("resume projection %s: %w", name, err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("resume projection %s: no version of it has failed", name)
	}
	return nil
}
