package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Connect opens a connection, which is closed when the test ends.
func Connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	AtEnd(t, func() { _ = conn.Close(context.Background()) })
	return conn
}

// querier is a pool, a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error)
}

// Values returns the values of a query with one column.
func Values[T any](t testing.TB, db querier, sql string, arguments ...any) []T {
	t.Helper()
	rows, err := db.Query(context.Background(), sql, arguments...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return values
}

// Value returns the value of a query with one column and one row.
func Value[T any](t testing.TB, db querier, sql string, arguments ...any) T {
	t.Helper()
	values := Values[T](t, db, sql, arguments...)
	if len(values) != 1 {
		t.Fatalf("%s: got %d rows, want 1", sql, len(values))
	}
	return values[0]
}
