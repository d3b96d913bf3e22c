package accounts

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/pgtest"
)

// The rows of a genesis block arrive whole, although they are sent in pieces.
func TestCopyInPieces(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	spec := New().Spec()
	if _, err := pool.Exec(t.Context(), spec.SQL(`CREATE SCHEMA {schema}; CREATE TABLE {schema}.account (source_seq bigint, first_height bigint, id int, account text)`)); err != nil {
		t.Fatal(err)
	}
	const rows = 100_000
	w := newWrites()
	for i := range int32(rows) {
		w.account(0, 7, &account{id: i, name: fmt.Sprintf("SP%038d", i)})
	}
	if len(w.accounts.full) < 3 {
		t.Fatalf("got %d pieces", len(w.accounts.full))
	}
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { return w.accounts.write(t.Context(), tx, spec) })
	if err != nil {
		t.Fatal(err)
	}
	var count, distinct, right int
	err = pool.QueryRow(t.Context(), spec.SQL(`
		SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE source_seq = 7 AND first_height = 0 AND account = 'SP' || lpad(id::text, 38, '0')) FROM {schema}.account`)).Scan(&count, &distinct, &right)
	if err != nil || count != rows || distinct != rows || right != rows {
		t.Errorf("got %d rows with %d ids, %d of them right (%v), want %d", count, distinct, right, err, rows)
	}
}
