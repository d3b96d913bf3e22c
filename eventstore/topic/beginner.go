package topic

import (
	"context"
	"database/sql"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
)

// beginner reports errors that occur while rows are read. pgx stores them in Rows.Err, which watermill-sql never calls:
// a query that fails would look like one without messages, for ever.
type beginner struct {
	wsql.Beginner
}

func (b beginner) BeginTx(ctx context.Context, options *sql.TxOptions) (wsql.Tx, error) {
	tx, err := b.Beginner.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	return checkedTx{tx}, nil
}

type checkedTx struct {
	wsql.Tx
}

func (t checkedTx) QueryContext(ctx context.Context, query string, args ...any) (wsql.Rows, error) {
	rows, err := t.Tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	if failing, ok := rows.(failingRows); ok {
		return &checkedRows{failingRows: failing}, nil
	}
	return rows, nil
}

type failingRows interface {
	wsql.Rows
	Err() error
}

// checkedRows adds a row at the end if reading failed. Its Scan returns the error.
type checkedRows struct {
	failingRows
	failed bool
}

func (r *checkedRows) Next() bool {
	if r.failed {
		return false
	}
	if r.failingRows.Next() {
		return true
	}
	r.failed = r.Err() != nil
	return r.failed
}

func (r *checkedRows) Scan(dest ...any) error {
	if r.failed {
		return r.Err()
	}
	return r.failingRows.Scan(dest...)
}
