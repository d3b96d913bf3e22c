package sharedtx

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// rows are the result of a query that went out with what waited before it.
type rows struct {
	pgx.Rows
	results pgx.BatchResults
}

// Next closes the rows after the last one, as pgx does.
func (r *rows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

func (r *rows) Close() {
	r.Rows.Close()
	_ = r.results.Close() // the error of the query, which Err returns
}

// row is the first row of a result.
type row struct {
	rows pgx.Rows
	err  error
}

func (r row) Scan(dest ...any) error {
	if r.err != nil {
		if r.rows != nil {
			r.rows.Close()
		}
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	err := r.rows.Scan(dest...)
	r.rows.Close()
	return errors.Join(err, r.rows.Err())
}

// batch is a batch that is sent when somebody reads a result, and waits otherwise.
type batch struct {
	ctx     context.Context
	tx      *Tx
	queries []*pgx.QueuedQuery
	results pgx.BatchResults // nil until it is sent
	closed  bool
}

func (b *batch) sent() pgx.BatchResults {
	if b.results == nil {
		b.results = b.tx.send(b.ctx, b.queries...)
	}
	return b.results
}

func (b *batch) Exec() (pgconn.CommandTag, error) { return b.sent().Exec() }

func (b *batch) Query() (pgx.Rows, error) { return b.sent().Query() }

func (b *batch) QueryRow() pgx.Row { return b.sent().QueryRow() }

// Close sends the batch if one of its queries has a function that reads the result.
func (b *batch) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	if b.results == nil {
		for _, q := range b.queries {
			if q.Fn != nil {
				return b.sent().Close()
			}
		}
		b.tx.waiting = append(b.tx.waiting, b.queries...)
		return nil
	}
	return b.results.Close()
}

func (b *batch) Tx() pgx.Tx { return nil }
