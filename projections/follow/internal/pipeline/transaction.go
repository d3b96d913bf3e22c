package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// transaction is a transaction that whoever uses it begins with the first statements that it sends, and commits with the
// last, so that neither takes a round trip of its own.
type transaction struct{ connection }

// connection keeps the field and the method Conn of a transaction apart.
type connection struct{ *pgx.Conn }

var _ pgx.Tx = transaction{}

// errStatement is returned by methods that would send what the user of a transaction sends.
var errStatement = errors.New("this transaction is begun and ended by statements")

// rollbackTimeout bounds a rollback, after which the connection is closed.
const rollbackTimeout = 5 * time.Second

// InTransaction calls f, which begins and commits the transaction. It rolls back what f has left open.
func InTransaction(ctx context.Context, pool *pgxpool.Pool, f func(tx pgx.Tx) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // this closes the connection if its transaction is still open
	err = f(transaction{connection{conn.Conn()}})
	if conn.Conn().PgConn().TxStatus() != idle && !conn.Conn().IsClosed() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
		defer cancel()
		_, _ = conn.Exec(ctx, `rollback`)
	}
	return err
}

// idle is the status of a connection without a transaction.
const idle = 'I'

func (t transaction) Begin(context.Context) (pgx.Tx, error) { return nil, errStatement }

func (t transaction) Commit(context.Context) error { return errStatement }

func (t transaction) Rollback(context.Context) error { return errStatement }

func (t transaction) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (t transaction) Conn() *pgx.Conn { return t.connection.Conn }
