package projections

import (
	"context"
	"io"

	"github.com/jackc/pgx/v5"
)

// BinaryCopier is a transaction in which statements may wait to be sent, and which sends these before a COPY.
type BinaryCopier interface {
	CopyBinary(ctx context.Context, sql string, rows io.Reader) error
}

// CopyBinary executes a COPY … FROM STDIN (FORMAT binary) of encoded rows.
func CopyBinary(ctx context.Context, tx pgx.Tx, sql string, rows io.Reader) error {
	if copier, ok := tx.(BinaryCopier); ok {
		return copier.CopyBinary(ctx, sql, rows)
	}
	_, err := tx.Conn().PgConn().CopyFrom(ctx, rows, sql)
	return err
}
