package sharedtx_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/pgtraffic"
	"strata/projections"
	"strata/projections/follow/internal/sharedtx"
)

// database returns a pool of one connection on a database with a table, and the counts of what is sent to it.
func database(t *testing.T) (*pgxpool.Pool, *pgtraffic.Counter) {
	t.Helper()
	config := must.Get(pgxpool.ParseConfig(pgtest.URL(t)))(t)
	counts := &pgtraffic.Counter{}
	counts.Watch(&config.ConnConfig.Config)
	config.MaxConns = 1
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), `
		CREATE SCHEMA s; CREATE TABLE s.item (fold int, n int, text text, amount numeric, bytes bytea, PRIMARY KEY (fold, n))`); err != nil {
		t.Fatal(err)
	}
	return pool, counts
}

// run runs f in a transaction that it begins and commits.
func run(ctx context.Context, pool *pgxpool.Pool, f func(tx *sharedtx.Tx) error) (sent *sharedtx.Tx, err error) {
	err = sharedtx.Run(ctx, pool, func(tx *sharedtx.Tx) error {
		sent = tx
		batch := &pgx.Batch{}
		batch.Queue(`begin`)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if err := f(tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `commit`)
		return err
	})
	return sent, err
}

func put(ctx context.Context, tx pgx.Tx, fold, n int) error {
	var rows [][]any
	for i := range n {
		rows = append(rows, []any{fold, i, fmt.Sprintf("text %d", i), fmt.Sprint(i), []byte{byte(i)}})
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"s", "item"}, []string{"fold", "n", "text", "amount", "bytes"}, pgx.CopyFromRows(rows))
	return err
}

// count returns the numbers of rows of folds.
func count(t *testing.T, pool *pgxpool.Pool) []int {
	t.Helper()
	rows := must.Get(pool.Query(t.Context(), `SELECT count(*) FROM s.item GROUP BY fold ORDER BY fold`))(t)
	return must.Get(pgx.CollectRows(rows, pgx.RowTo[int]))(t)
}

// Writes take no round trip: they go with the next query, which finds them. Many rows are copied.
func TestWritesWait(t *testing.T) {
	pool, counts := database(t)
	ctx := t.Context()
	sizes := []int{0, 1, 5, 31, 32, 500}
	folds := func(tx *sharedtx.Tx) error {
		for fold, size := range sizes {
			if err := put(ctx, tx, fold, size); err != nil {
				return err
			}
			batch := &pgx.Batch{}
			batch.Queue(`UPDATE s.item SET text = 'changed' WHERE fold = $1 AND n = 0`, fold)
			if err := tx.SendBatch(ctx, batch).Close(); err != nil {
				return err
			}
			for query := range 2 {
				var n, changed int
				err := tx.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE text = 'changed') FROM s.item WHERE fold = $1 AND n >= $2`, fold, query).Scan(&n, &changed)
				if want := max(0, size-query); err != nil || n != want || changed != min(1, want)*(1-query) {
					return fmt.Errorf("fold %d, query %d: got %d rows, %d changed (%w), want %d", fold, query, n, changed, err, want)
				}
			}
		}
		return nil
	}
	empty := func(tx *sharedtx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM s.item`)
		return errors.Join(err, folds(tx))
	}
	if _, err := run(ctx, pool, empty); err != nil { // the connection prepares its statements
		t.Fatal(err)
	}
	before := counts.Now()
	sent := must.Get(run(ctx, pool, empty))(t)
	during := counts.Since(before)
	// The beginning and the DELETE, two queries of each fold, the COPY of two of them, and the commit.
	if want := int64(1 + 2*len(sizes) + 2*2 + 1); during.RoundTrips != want || int64(sent.RoundTrips) != want || during.Copies != 2 {
		t.Errorf("it sent %+v, and says %d round trips, want %d and two COPYs", during, sent.RoundTrips, want)
	}
	if during.Statements != int64(sent.Statements) {
		t.Errorf("it sent %d statements, and says %d", during.Statements, sent.Statements)
	}
	if got := count(t, pool); !slices.Equal(got, sizes[1:]) {
		t.Errorf("got %v rows, want %v", got, sizes[1:])
	}
}

// A fold may use everything that a transaction offers, apart from its beginning and its end.
func TestTransaction(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	type item struct {
		N     int
		Text  string
		Bytes []byte
	}
	must.Get(run(ctx, pool, func(tx *sharedtx.Tx) error {
		if err := put(ctx, tx, 1, 10); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM s.item WHERE n > 3`)
		if err != nil || tag.RowsAffected() != 6 {
			t.Errorf("deleted %v, %v, want 6 rows", tag, err)
		}
		if err := put(ctx, tx, 2, 1); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT n, text, bytes FROM s.item WHERE fold = 1 ORDER BY n`)
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[item])
		if err != nil || len(all) != 4 || all[3].Text != "text 3" || !slices.Equal(all[3].Bytes, []byte{3}) {
			t.Errorf("got %+v, %v", all, err)
		}
		if err := tx.QueryRow(ctx, `SELECT n FROM s.item WHERE n = 99`).Scan(new(int)); !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("no row: got %v", err)
		}
		if err := put(ctx, tx, 3, 1); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `SELECT n FROM s.item WHERE n = 99`).Scan(new(int)); !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("no row, after a write: got %v", err)
		}
		if err := tx.QueryRow(ctx, `SELECT 'x'`).Scan(new(int)); err == nil {
			t.Error("a text was read as a number")
		}
		batch := &pgx.Batch{}
		sum, deleted := 0, int64(0)
		batch.Queue(`SELECT sum(n) FROM s.item WHERE fold = 1`).QueryRow(func(row pgx.Row) error { return row.Scan(&sum) })
		batch.Queue(`INSERT INTO s.item VALUES (2, 1)`)
		batch.Queue(`DELETE FROM s.item WHERE fold = 2`).Exec(func(tag pgconn.CommandTag) error { deleted = tag.RowsAffected(); return nil })
		if err := put(ctx, tx, 4, 1); err != nil {
			return err
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil || sum != 6 || deleted != 2 {
			t.Errorf("batch: got %d, %d, %v", sum, deleted, err)
		}
		if err := projections.CopyBinary(ctx, tx, `COPY s.item (fold) FROM STDIN (FORMAT binary)`, strings.NewReader("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff")); err != nil {
			t.Errorf("COPY of no rows: %v", err)
		}
		if _, err := tx.Begin(ctx); err == nil {
			t.Error("a fold began a savepoint")
		}
		if tx.Commit(ctx) == nil || tx.Rollback(ctx) == nil {
			t.Error("a fold ended the transaction")
		}
		return nil
	}))(t)
	if got := count(t, pool); !slices.Equal(got, []int{4, 1, 1}) {
		t.Errorf("got %v rows", got)
	}
}

// Rows keep their values, nulls and order, in columns of any types.
func TestRowsOfAnyTypes(t *testing.T) {
	pool, _ := database(t)
	ctx, text := t.Context(), "b, \"quoted\" {\\}"
	if _, err := pool.Exec(ctx, `
		CREATE TABLE s.row (place serial, n smallint, amount numeric(40), price numeric, text text COLLATE "C", bytes bytea, yes bool, at timestamptz, texts text[])`); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	rows := [][]any{
		{int16(1), pgtype.Numeric{Int: big.NewInt(7), Exp: 30, Valid: true}, "0.5", "a", []byte{0, 1}, true, at, []string{"a", "b"}},
		{2, nil, nil, &text, []byte{}, false, nil, []string{}},
		{uint16(3), pgtype.Numeric{}, "12", (*string)(nil), nil, nil, at, nil},
	}
	must.Get(run(ctx, pool, func(tx *sharedtx.Tx) error {
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"s", "row"}, strings.Fields("n amount price text bytes yes at texts"), pgx.CopyFromRows(rows))
		return err
	}))(t)
	var got string
	if err := pool.QueryRow(ctx, `
		SELECT json_agg(p ORDER BY place)::text FROM (SELECT place, n, amount, price, text, bytes, yes, at AT TIME ZONE 'UTC' AS at, texts FROM s.row) p`).Scan(&got); err != nil {
		t.Fatal(err)
	}
	want := `[{"place":1,"n":1,"amount":7000000000000000000000000000000,"price":0.5,"text":"a","bytes":"\\x0001","yes":true,"at":"2026-01-02T03:04:05","texts":["a","b"]}, ` + "\n" +
		` {"place":2,"n":2,"amount":null,"price":null,"text":"b, \"quoted\" {\\}","bytes":"\\x","yes":false,"at":null,"texts":[]}, ` + "\n" +
		` {"place":3,"n":3,"amount":null,"price":12,"text":null,"bytes":null,"yes":null,"at":"2026-01-02T03:04:05","texts":null}]`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A statement may say how it is to be executed, as with any transaction of pgx.
func TestModeOfExecution(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	_, err := run(ctx, pool, func(tx *sharedtx.Tx) error {
		for fold, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec, pgx.QueryExecModeDescribeExec} {
			if err := put(ctx, tx, fold, 3); err != nil {
				return err
			}
			var n int
			if err := tx.QueryRow(ctx, `SELECT count(*) FROM s.item WHERE fold = $1`, mode, fold).Scan(&n); err != nil || n != 3 {
				return fmt.Errorf("fold %d: got %d (%w), want 3", fold, n, err)
			}
			if _, err := tx.Exec(ctx, `UPDATE s.item SET text = $2 WHERE fold = $1`, mode, fold, "new"); err != nil {
				return err
			}
		}
		return nil
	})
	if got := count(t, pool); err != nil || !slices.Equal(got, []int{3, 3, 3}) {
		t.Errorf("got %v rows (%v), want three of each fold", got, err)
	}
}

// The error of a write shows at the next query, or when what waits is flushed. Nothing is left of the transaction, and the
// connection is good for the next one.
func TestFailures(t *testing.T) {
	oops := errors.New("oops")
	for name, fault := range map[string]struct {
		do   func(context.Context, pgx.Tx) error
		want string
	}{
		"its own error":       {func(context.Context, pgx.Tx) error { return oops }, "oops"},
		"a query":             {func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, `SELECT 1/0`); return err }, "22012"},
		"a query that is bad": {func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, `SELECT`+` no`); return err }, "42703"},
		"a row":               {func(ctx context.Context, tx pgx.Tx) error { return put(ctx, tx, 2, 1) }, "23505"},
		"rows that are copied": {func(ctx context.Context, tx pgx.Tx) error {
			return errors.Join(put(ctx, tx, 1, 200), put(ctx, tx, 1, 200))
		}, "23505"},
		"an argument": {func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.CopyFrom(ctx, pgx.Identifier{"s", "item"}, []string{"fold", "n"}, pgx.CopyFromRows([][]any{{1, "no number"}}))
			return err
		}, "no number"},
	} {
		for _, flushes := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, flushed %v", name, flushes), func(t *testing.T) {
				pool, _ := database(t)
				ctx := t.Context()
				_, err := run(ctx, pool, func(tx *sharedtx.Tx) error {
					if err := put(ctx, tx, 2, 1); err != nil {
						return err
					}
					if err := fault.do(ctx, tx); err != nil {
						return err
					}
					if flushes {
						err := tx.Flush(ctx)
						if err == nil {
							t.Error("the write did not fail")
						}
						return err
					}
					var n int
					return tx.QueryRow(ctx, `SELECT count(*) FROM s.item`).Scan(&n)
				})
				if err == nil || !strings.Contains(err.Error(), fault.want) {
					t.Fatalf("got %v, want %s", err, fault.want)
				}
				if got := count(t, pool); len(got) != 0 {
					t.Errorf("%v rows are left", got)
				}
				if _, err := run(ctx, pool, func(tx *sharedtx.Tx) error { return put(ctx, tx, 1, 1) }); err != nil {
					t.Errorf("the next transaction: %v", err)
				}
			})
		}
	}
}

// A statement whose result has changed with its table fails once, as with any prepared statement.
func TestTableChanges(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	read := func() (columns int, err error) {
		_, err = run(ctx, pool, func(tx *sharedtx.Tx) error {
			rows, err := tx.Query(ctx, `SELECT * FROM s.item`)
			if err != nil {
				return err
			}
			rows.Close()
			columns = len(rows.FieldDescriptions())
			return rows.Err()
		})
		return columns, err
	}
	if columns, err := read(); err != nil || columns != 5 {
		t.Fatalf("got %d columns (%v), want 5", columns, err)
	}
	must.Get(pool.Exec(ctx, `ALTER TABLE s.item ADD COLUMN more int`))(t)
	if _, err := read(); err == nil {
		t.Error("a result of another shape was read")
	}
	if columns, err := read(); err != nil || columns != 6 {
		t.Errorf("got %d columns (%v), want 6", columns, err)
	}
}

// A transaction ends with its context, also while it waits for the server.
func TestContextEnds(t *testing.T) {
	pool, _ := database(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := run(ctx, pool, func(tx *sharedtx.Tx) error {
		if err := put(ctx, tx, 1, 3); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SELECT pg_sleep(3600)`)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	if got := count(t, pool); len(got) != 0 {
		t.Errorf("%v rows are left", got)
	}
}
