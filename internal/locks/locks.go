// Package locks bounds for how long locks in the database outlast a process that does nothing. A process that is stopped or
// swapped out, or whose machine is gone, keeps the locks of its transactions, and everybody else waits for them until TCP gives
// up, which may take hours, or for ever if the process is on the same machine. The server ends such transactions instead.
package locks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
)

// PatienceDefault is for how long a transaction may wait for its process.
const PatienceDefault = 30 * time.Second

// Hold calls f in a transaction that locks what other processes wait for. The server ends it if this process does nothing for
// as long as patience; 0 means PatienceDefault.
func Hold(ctx context.Context, pool *pgxpool.Pool, patience time.Duration, f func(tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if err := Bound(ctx, tx, patience); err != nil {
			return err
		}
		return f(tx)
	})
}

// Bound lets the server end a transaction when this process does nothing for as long as patience; 0 means PatienceDefault.
func Bound(ctx context.Context, tx pgx.Tx, patience time.Duration) error {
	if _, err := tx.Exec(ctx, Setting(patience)); err != nil {
		return fmt.Errorf("begin to lock: %w", err)
	}
	return nil
}

// Setting returns the statement of Bound.
func Setting(patience time.Duration) string {
	if patience <= 0 {
		patience = PatienceDefault
	}
	return `SELECT set_config('idle_in_transaction_session_timeout', '` + strconv.FormatInt(patience.Milliseconds(), 10) + `', true)`
}

// TableSQL returns the statement that locks a table until the transaction ends, so that only one transaction at a time has it. Reads
// and writes of the table go on, and nothing keeps vacuum waiting. A role that may only read can't lock a table in this way, whereas
// any role may take any advisory lock.
func TableSQL(table string) string { return `LOCK TABLE ` + table + ` IN SHARE UPDATE EXCLUSIVE MODE` }

// Table waits until a transaction has the lock of TableSQL.
func Table(ctx context.Context, tx pgx.Tx, table string) error {
	_, err := tx.Exec(ctx, TableSQL(table))
	return err
}

// ErrHeld is returned when another transaction has the lock.
var ErrHeld = errors.New("another transaction has locked the table")

// TryTable is Table, but returns ErrHeld instead of waiting. Nothing else can be done in the transaction then.
func TryTable(ctx context.Context, tx pgx.Tx, table string) error {
	_, err := tx.Exec(ctx, TableSQL(table)+` NOWAIT`)
	var held *pgconn.PgError
	if errors.As(err, &held) && held.Code == "55P03" { // lock_not_available
		return ErrHeld
	}
	return err
}

// KeepAlive sends statements with send, so that the server does not end a bounded transaction while the process works at
// something else. The caller calls stop before it uses the transaction again.
func KeepAlive(ctx context.Context, patience time.Duration, send func(ctx context.Context) error) (stop func()) {
	if patience <= 0 {
		patience = PatienceDefault
	}
	ctx, cancel := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() {
		for pause.For(ctx, patience/3); ctx.Err() == nil; pause.For(ctx, patience/3) {
			if send(context.WithoutCancel(ctx)) != nil {
				return // the transaction is lost, and whoever uses it next hears that
			}
		}
	})
	return sync.OnceFunc(func() {
		cancel()
		keeping.Wait()
	})
}
