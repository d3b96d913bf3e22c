package sharedtx

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
)

// Tx is the transaction, as its folds see it. It is not safe for concurrent use.
type Tx struct {
	connection
	// Statements and RoundTrips count what was sent.
	Statements, RoundTrips int

	waiting []*pgx.QueuedQuery
}

// connection keeps the field and the method Conn of a Tx apart.
type connection struct{ *pgx.Conn }

var (
	_ pgx.Tx                   = (*Tx)(nil)
	_ projections.BinaryCopier = (*Tx)(nil)
)

// errShared is the error of methods that would begin or end the transaction.
var errShared = errors.New("a fold can't begin or end the transaction that it shares")

// rollbackTimeout bounds a rollback, after which the connection is closed.
const rollbackTimeout = 5 * time.Second

// Run calls f, which begins the transaction with its first statement and commits it with its last, so that neither takes
// a round trip. Run rolls back what f leaves open.
func Run(ctx context.Context, pool *pgxpool.Pool, f func(tx *Tx) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // this closes the connection if its transaction is still open
	err = f(&Tx{connection: connection{conn.Conn()}})
	if conn.Conn().PgConn().TxStatus() != idle && !conn.Conn().IsClosed() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
		defer cancel()
		_, _ = conn.Exec(ctx, `rollback`)
	}
	return err
}

// idle is the status of a connection without a transaction.
const idle = 'I'

// Begin returns an error, as do Commit and Rollback.
func (t *Tx) Begin(context.Context) (pgx.Tx, error) { return nil, errShared }

// Commit implements pgx.Tx.
func (t *Tx) Commit(context.Context) error { return errShared }

// Rollback implements pgx.Tx.
func (t *Tx) Rollback(context.Context) error { return errShared }

// LargeObjects implements pgx.Tx.
func (t *Tx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn returns the connection. What waits has not been sent: see Flush.
func (t *Tx) Conn() *pgx.Conn { return t.connection.Conn }

// Flush sends what waits, and returns its first error.
func (t *Tx) Flush(ctx context.Context) error {
	if len(t.waiting) == 0 {
		return nil
	}
	return t.send(ctx).Close()
}

// send sends what waits, then more, and returns the results of these. If a statement that waited fails, all of them do.
func (t *Tx) send(ctx context.Context, more ...*pgx.QueuedQuery) pgx.BatchResults {
	before := len(t.waiting)
	batch := &pgx.Batch{QueuedQueries: append(t.waiting, more...)}
	t.waiting = nil
	t.Statements += batch.Len()
	t.RoundTrips++
	results := t.connection.SendBatch(ctx, batch)
	for range before {
		if _, err := results.Exec(); err != nil {
			break // results return it from now on
		}
	}
	return results
}

// queue makes a statement wait.
func (t *Tx) queue(sql string, args ...any) {
	t.waiting = append(t.waiting, &pgx.QueuedQuery{SQL: sql, Arguments: args})
}

// Exec implements pgx.Tx.
func (t *Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	rows, err := t.Query(ctx, sql, args...)
	if rows == nil {
		return pgconn.CommandTag{}, err
	}
	rows.Close()
	return rows.CommandTag(), rows.Err()
}

// Query implements pgx.Tx.
func (t *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if len(args) > 0 {
		if _, ok := args[0].(pgx.QueryExecMode); ok { // a batch can't be told how to execute one of its statements
			if err := t.Flush(ctx); err != nil {
				return nil, err
			}
		}
	}
	if len(t.waiting) == 0 {
		t.Statements++
		t.RoundTrips++
		return t.connection.Query(ctx, sql, args...)
	}
	results := t.send(ctx, &pgx.QueuedQuery{SQL: sql, Arguments: args})
	r, err := results.Query()
	return &rows{r, results}, err
}

// QueryRow implements pgx.Tx.
func (t *Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	r, err := t.Query(ctx, sql, args...)
	return row{r, err}
}

// SendBatch makes a batch wait if nothing reads its results.
func (t *Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return &batch{ctx: ctx, tx: t, queries: b.QueuedQueries}
}

// copyMin is how many rows are sent by COPY, which takes round trips of its own. Fewer wait as INSERTs.
const copyMin = 32

// CopyFrom makes a few rows wait as INSERTs, and sends more with the COPY protocol.
func (t *Tx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, source pgx.CopyFromSource) (int64, error) {
	var all [][]any
	for source.Next() {
		values, err := source.Values()
		if err != nil {
			return 0, err
		}
		all = append(all, values)
	}
	if err := source.Err(); err != nil {
		return 0, err
	}
	if len(all) < copyMin {
		for _, values := range all {
			t.queue(insertSQL(table, columns), values...)
		}
		return int64(len(all)), nil
	}
	if err := t.Flush(ctx); err != nil {
		return 0, err
	}
	t.Statements++
	t.RoundTrips += 2 // the server first says that it is ready
	return t.connection.CopyFrom(ctx, table, columns, pgx.CopyFromRows(all))
}

// CopyBinary implements projections.BinaryCopier.
func (t *Tx) CopyBinary(ctx context.Context, sql string, rows io.Reader) error {
	if err := t.Flush(ctx); err != nil {
		return err
	}
	t.Statements++
	t.RoundTrips += 2
	_, err := t.connection.PgConn().CopyFrom(ctx, rows, sql)
	return err
}

func insertSQL(table pgx.Identifier, columns []string) string {
	var sql, values strings.Builder
	sql.WriteString("INSERT INTO " + table.Sanitize() + " (")
	for i, column := range columns {
		if i > 0 {
			sql.WriteString(", ")
			values.WriteString(", ")
		}
		sql.WriteString(pgx.Identifier{column}.Sanitize())
		values.WriteString("$" + strconv.Itoa(i+1))
	}
	return sql.String() + ") VALUES (" + values.String() + ")"
}
