// Package headlock lets tests hold the lock of log.head, so that no append to the log can commit meanwhile.
package headlock

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// Hold locks the row of log.head until release is called. release may be called twice.
func Hold(t testing.TB, pool *pgxpool.Pool) (release func()) {
	t.Helper()
	ctx := context.Background()
	tx := must.Get(pool.Begin(ctx))(t)
	must.Get(tx.Exec(ctx, `SELECT FROM log.head FOR UPDATE`))(t)
	return func() {
		if err := tx.Rollback(ctx); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
			t.Error(err)
		}
	}
}

// AwaitWaiter returns once a session of the database waits for a lock, as an append does while Hold holds it.
func AwaitWaiter(t testing.TB, pool *pgxpool.Pool) {
	t.Helper()
	eventually.Holds(t, "an append waits for the lock", func() bool {
		var waits bool
		err := pool.QueryRow(context.Background(), `
			SELECT EXISTS (SELECT FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a USING (pid)
			               WHERE NOT l.granted AND a.datname = current_database())`).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		return waits
	})
}
