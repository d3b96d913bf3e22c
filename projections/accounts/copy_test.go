package accounts

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// The rows of a genesis block arrive whole, although they are sent in pieces.
func TestCopyInPieces(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	spec := New().Spec()
	must.Get(pool.Exec(t.Context(), spec.SQL(`CREATE SCHEMA {schema}; CREATE TABLE {schema}.account (source_seq bigint, first_height bigint, id int, account text)`)))(t)
	const rows = 100_000
	w := newWrites(t.Context(), &batch{})
	for i := range int32(rows) {
		w.account(0, 7, &account{id: i, name: fmt.Sprintf("SP%038d", i)})
	}
	if len(w.accounts.full) < 3 {
		t.Fatalf("got %d pieces", len(w.accounts.full))
	}
	must.Do(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { return w.accounts.write(t.Context(), tx, spec) }))
	var count, distinct, right int
	err := pool.QueryRow(t.Context(), spec.SQL(`
		SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE source_seq = 7 AND first_height = 0 AND account = 'SP' || lpad(id::text, 38, '0')) FROM {schema}.account`)).Scan(&count, &distinct, &right)
	if err != nil || count != rows || distinct != rows || right != rows {
		t.Errorf("got %d rows with %d ids, %d of them right (%v), want %d", count, distinct, right, err, rows)
	}
}

// Rows that are sent while others are still made arrive once each.
func TestSpill(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	spec := New().Spec()
	must.Get(pool.Exec(t.Context(), spec.SQL(`CREATE SCHEMA {schema}; CREATE TABLE {schema}.account (source_seq bigint, first_height bigint, id int, account text)`)))(t)
	const rows = 200_000
	most := 0
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		w := newWrites(t.Context(), &batch{tx: tx, spec: spec})
		for i := range int32(rows) {
			w.account(0, 7, &account{id: i, name: fmt.Sprintf("SP%038d", i)})
			if err := w.spill(&w.accounts); err != nil {
				return err
			}
			most = max(most, len(w.accounts.full))
		}
		return w.accounts.write(t.Context(), tx, spec)
	})
	var count, distinct int
	if err == nil {
		err = pool.QueryRow(t.Context(), spec.SQL(`SELECT count(*), count(DISTINCT id) FROM {schema}.account`)).Scan(&count, &distinct)
	}
	if err != nil || count != rows || distinct != rows || most >= spillPieces {
		t.Errorf("got %d rows with %d ids, %d pieces at the most (%v), want %d and fewer than %d", count, distinct, most, err, rows, spillPieces)
	}
}
