package pipeline_test

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

	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/pgtraffic"
	"strata/projections/follow/internal/pipeline"
)

// database returns a pool on a database with a table, and the counts of what is sent to it.
func database(t *testing.T) (*pgxpool.Pool, *pgtraffic.Counter) {
	t.Helper()
	config, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	counts := &pgtraffic.Counter{}
	counts.Watch(&config.ConnConfig.Config)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), `
		CREATE SCHEMA s; CREATE TABLE s.item (lane int, n int, text text, amount numeric, bytes bytea, PRIMARY KEY (lane, n))`); err != nil {
		t.Fatal(err)
	}
	return pool, counts
}

var columns = []string{"lane", "n", "text", "amount", "bytes"}

func items(lane, n int) (rows [][]any) {
	for i := range n {
		rows = append(rows, []any{lane, i, fmt.Sprintf("text %d", i), fmt.Sprint(i), []byte{byte(i)}})
	}
	return rows
}

func put(ctx context.Context, tx pgx.Tx, lane, n int) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"s", "item"}, columns, pgx.CopyFromRows(items(lane, n)))
	return err
}

func count(t *testing.T, pool *pgxpool.Pool) (counts []int) {
	t.Helper()
	rows, err := pool.Query(t.Context(), `SELECT count(*) FROM s.item GROUP BY lane ORDER BY lane`)
	if err != nil {
		t.Fatal(err)
	}
	if counts, err = pgx.CollectRows(rows, pgx.RowTo[int]); err != nil {
		t.Fatal(err)
	}
	return counts
}

// Folds that ask one question after the other share their round trips, and each finds what it has written.
func TestLanesShareRoundTrips(t *testing.T) {
	pool, counts := database(t)
	const lanes, questions = 8, 5
	sizes := []int{0, 1, 3, 5, 63, 64, 127, 128}
	folds := make([]pipeline.Fold, lanes)
	for lane := range folds {
		folds[lane] = func(tx pgx.Tx) error {
			if err := put(t.Context(), tx, lane, sizes[lane]); err != nil {
				return err
			}
			for question := range questions {
				var n int
				var sum *string
				err := tx.QueryRow(t.Context(), `SELECT count(*), sum(amount)::text FROM s.item WHERE lane = $1 AND n >= $2`, lane, question).Scan(&n, &sum)
				if want := max(0, sizes[lane]-question); err != nil || n != want || (n > 0) != (sum != nil) {
					return fmt.Errorf("lane %d, question %d: got %d and %v (%w), want %d", lane, question, n, sum, err, want)
				}
			}
			return nil
		}
	}
	run := func() (sent pipeline.Counts, during pgtraffic.Counts) {
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) (err error) {
			if _, err := tx.Exec(t.Context(), `TRUNCATE s.item`); err != nil {
				return err
			}
			before := counts.Now()
			sent, err = pipeline.Run(t.Context(), tx, pipeline.Together(folds...))
			during = counts.Since(before)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return sent, during
	}
	run() // the connection prepares its statements
	sent, during := run()
	// The rows of the last lane are copied, which divides the statements of the first turn.
	if during.RoundTrips != questions+3 || during.Copies != 1 || sent.RoundTrips != questions+3 {
		t.Errorf("it sent %+v, and counts %+v, want %d round trips and one COPY", during, sent, questions+3)
	}
	if during.Statements != int64(sent.Statements) {
		t.Errorf("it sent %+v, and counts %+v", during, sent)
	}
	if got := count(t, pool); !slices.Equal(got, sizes[1:]) {
		t.Errorf("got %v rows, want %v", got, sizes[1:])
	}
}

// A lane offers everything that a transaction does.
func TestLaneIsATransaction(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	type item struct {
		N     int
		Text  string
		Bytes []byte
	}
	fold := func(tx pgx.Tx) error {
		if err := put(ctx, tx, 1, 10); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM s.item WHERE n > 3`)
		if err != nil || tag.RowsAffected() != 6 {
			t.Errorf("deleted %v, %v, want 6 rows", tag, err)
		}
		rows, err := tx.Query(ctx, `SELECT n, text, bytes FROM s.item ORDER BY n`)
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[item])
		if err != nil || len(all) != 4 || all[3].Text != "text 3" || !slices.Equal(all[3].Bytes, []byte{3}) {
			t.Errorf("got %+v, %v", all, err)
		}
		if rows, err = tx.Query(ctx, `SELECT n, text, NULL FROM s.item WHERE n = 2`); err != nil {
			return err
		}
		maps, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil || len(maps) != 1 || maps[0]["n"] != int32(2) || maps[0]["text"] != "text 2" {
			t.Errorf("got %v, %v", maps, err)
		}
		if err := tx.QueryRow(ctx, `SELECT n FROM s.item WHERE n = 99`).Scan(new(int)); !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("no row: got %v", err)
		}
		if err := tx.QueryRow(ctx, `SELECT 'x'`).Scan(new(int)); err == nil {
			t.Error("a text was read as a number")
		}
		batch := &pgx.Batch{}
		sum, deleted := 0, int64(0)
		batch.Queue(`SELECT sum(n) FROM s.item`).QueryRow(func(row pgx.Row) error { return row.Scan(&sum) })
		batch.Queue(`INSERT INTO s.item VALUES (2, 1)`)
		batch.Queue(`DELETE FROM s.item WHERE lane = 2`).Exec(func(tag pgconn.CommandTag) error { deleted = tag.RowsAffected(); return nil })
		if err := tx.SendBatch(ctx, batch).Close(); err != nil || sum != 6 || deleted != 1 {
			t.Errorf("batch: got %d, %d, %v", sum, deleted, err)
		}
		if _, err := tx.Conn().Exec(ctx, `SELECT 1`); err != nil {
			t.Errorf("on the connection itself: %v", err)
		}
		if _, err := tx.Begin(ctx); err == nil {
			t.Error("a lane began a savepoint")
		}
		return errors.Join(errorOf(tx.Commit(ctx) == nil), errorOf(tx.Rollback(ctx) == nil))
	}
	if err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := pipeline.Run(ctx, tx, pipeline.Together(fold))
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func errorOf(failed bool) error {
	if failed {
		return errors.New("a lane ended the transaction")
	}
	return nil
}

// Rows keep their values, nulls and order, in tables of any types: with an array for each column, or one by one where a
// column has arrays itself.
func TestRowsOfAnyTypes(t *testing.T) {
	pool, counts := database(t)
	ctx, text := t.Context(), "b, \"quoted\" {\\}"
	if _, err := pool.Exec(ctx, `
		CREATE TABLE s.plain (place serial, n smallint, amount numeric(40), price numeric, text text COLLATE "C", bytes bytea, yes bool, at timestamptz, nothing bigint);
		CREATE TABLE s.arrays (place serial, n int, texts text[])`); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	plain := [][]any{
		{int16(1), pgtype.Numeric{Int: big.NewInt(7), Exp: 30, Valid: true}, "0.5", "a", []byte{0, 1}, true, at, nil},
		{2, nil, nil, &text, []byte{}, false, nil, nil},
		{uint16(3), pgtype.Numeric{}, "12", (*string)(nil), nil, nil, at, nil},
	}
	arrays := [][]any{{1, []string{"a", "b"}}, {2, []string{}}, {3, nil}}
	before := counts.Now()
	fold := func(tx pgx.Tx) error {
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"s", "plain"}, strings.Fields("n amount price text bytes yes at nothing"), pgx.CopyFromRows(plain))
		if err == nil {
			_, err = tx.CopyFrom(ctx, pgx.Identifier{"s", "arrays"}, []string{"n", "texts"}, pgx.CopyFromRows(arrays))
		}
		return err
	}
	if err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := pipeline.Run(ctx, tx, pipeline.Together(fold))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	// A transaction begins and ends, and the connection asks once for the types of all columns.
	if n := counts.Since(before).Statements - 3; n != int64(len(arrays)) {
		t.Errorf("got %d statements, want one for all rows without arrays and the first of the others, and one for each other row", n)
	}
	var got [2]string
	if err := pool.QueryRow(ctx, `
		SELECT (SELECT json_agg(p ORDER BY place)::text FROM (SELECT place, n, amount, price, text, bytes, yes, at AT TIME ZONE 'UTC' AS at, nothing FROM s.plain) p),
		       (SELECT json_agg(a ORDER BY place)::text FROM s.arrays a)`).Scan(&got[0], &got[1]); err != nil {
		t.Fatal(err)
	}
	want := [2]string{
		`[{"place":1,"n":1,"amount":7000000000000000000000000000000,"price":0.5,"text":"a","bytes":"\\x0001","yes":true,"at":"2026-01-02T03:04:05","nothing":null}, ` + "\n" +
			` {"place":2,"n":2,"amount":null,"price":null,"text":"b, \"quoted\" {\\}","bytes":"\\x","yes":false,"at":null,"nothing":null}, ` + "\n" +
			` {"place":3,"n":3,"amount":null,"price":12,"text":null,"bytes":null,"yes":null,"at":"2026-01-02T03:04:05","nothing":null}]`,
		`[{"place":1,"n":1,"texts":["a","b"]}, ` + "\n" + ` {"place":2,"n":2,"texts":[]}, ` + "\n" + ` {"place":3,"n":3,"texts":null}]`,
	}
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A statement may say how it is to be executed, as with any transaction of pgx.
func TestModeOfExecution(t *testing.T) {
	pool, _ := database(t)
	fold := func(lane int, mode ...any) pipeline.Fold {
		return func(tx pgx.Tx) error {
			if err := put(t.Context(), tx, lane, 3); err != nil {
				return err
			}
			var n int
			if err := tx.QueryRow(t.Context(), `SELECT count(*) FROM s.item WHERE lane = $1`, append(mode, lane)...).Scan(&n); err != nil || n != 3 {
				return fmt.Errorf("lane %d: got %d (%w), want 3", lane, n, err)
			}
			_, err := tx.Exec(t.Context(), `UPDATE s.item SET text = $2 WHERE lane = $1`, append(mode, lane, "new")...)
			return err
		}
	}
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := pipeline.Run(t.Context(), tx, pipeline.Together(fold(0), fold(1, pgx.QueryExecModeExec), fold(2, pgx.QueryExecModeDescribeExec)))
		return err
	})
	if got := count(t, pool); err != nil || !slices.Equal(got, []int{3, 3, 3}) {
		t.Errorf("got %v rows (%v), want three in each lane", got, err)
	}
}

// The fold at fault is named, whatever its fault; the others end, and nothing is left of them.
func TestFailures(t *testing.T) {
	oops := errors.New("oops")
	for name, fault := range map[string]func(context.Context, pgx.Tx) error{
		"its own error": func(context.Context, pgx.Tx) error { return oops },
		"a panic":       func(context.Context, pgx.Tx) error { panic("oops") },
		"a statement": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `SELECT 1/0 AS oops`)
			if err != nil {
				err = fmt.Errorf("oops: %w", err)
			}
			return err
		},
		"rows that are queued": func(ctx context.Context, tx pgx.Tx) error {
			return errors.Join(put(ctx, tx, 1, 1), put(ctx, tx, 1, 1)) // the same key
		},
		"rows that are copied": func(ctx context.Context, tx pgx.Tx) error {
			return errors.Join(put(ctx, tx, 1, 200), put(ctx, tx, 1, 200))
		},
	} {
		t.Run(name, func(t *testing.T) {
			pool, _ := database(t)
			ctx := t.Context()
			aborted := 0
			other := func(lane int) pipeline.Fold {
				return func(tx pgx.Tx) error {
					for range 3 {
						if _, err := tx.Exec(ctx, `INSERT INTO s.item VALUES ($1, (SELECT count(*) FROM s.item WHERE lane = $1))`, lane); err != nil {
							if errors.Is(err, pipeline.ErrAborted) {
								aborted++
							}
							return err
						}
					}
					return nil
				}
			}
			err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
				_, err := pipeline.Run(ctx, tx, pipeline.Together(other(2), func(tx pgx.Tx) error { return fault(ctx, tx) }, other(3)))
				return err
			})
			var failed *pipeline.Error
			if !errors.As(err, &failed) || failed.Fold != 1 {
				t.Fatalf("got %v, want the second fold's error", err)
			}
			if !strings.Contains(err.Error(), "oops") && !strings.Contains(err.Error(), "item_pkey") {
				t.Errorf("got %v", err)
			}
			if aborted == 0 {
				t.Error("no other fold was aborted")
			}
			if got := count(t, pool); len(got) != 0 {
				t.Errorf("%v rows are left", got)
			}
		})
	}
}

// What a stage writes at its end takes no round trip of its own, the next stage finds it, and its errors are still those of
// the fold that wrote it.
func TestStages(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	wrong := 0 // rows of the first stage whose key is taken
	run := func() (sent pipeline.Counts, err error) {
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) (err error) {
			sent, err = pipeline.Run(ctx, tx,
				pipeline.Together(
					func(tx pgx.Tx) error { return put(ctx, tx, 1, 3) },
					func(tx pgx.Tx) error { return errors.Join(put(ctx, tx, 2, 2), put(ctx, tx, 2, wrong)) }),
				func() ([]pipeline.Fold, error) {
					return []pipeline.Fold{func(tx pgx.Tx) error {
						var n int
						if err := tx.QueryRow(ctx, `SELECT count(*) FROM s.item`).Scan(&n); err != nil || n != 5 {
							return fmt.Errorf("the second stage finds %d rows (%w), want 5", n, err)
						}
						return put(ctx, tx, 3, 1)
					}}, nil
				},
				pipeline.Together(func(tx pgx.Tx) error {
					if _, err := tx.Conn().Exec(ctx, `DELETE FROM s.item WHERE lane = 3`); err != nil { // beside the queue
						return err
					}
					_, err := tx.Exec(ctx, `DELETE FROM s.item WHERE lane = 1`)
					return err
				}))
			return err
		})
		return sent, err
	}
	wrong = 1
	var failed *pipeline.Error
	if _, err := run(); !errors.As(err, &failed) || failed.Fold != 1 || !strings.Contains(err.Error(), "item_pkey") {
		t.Errorf("got %v, want the error of the second fold", err)
	}
	wrong = 0
	sent, err := run()
	if err != nil {
		t.Fatal(err)
	}
	// Two lanes of rows with a question; the rows of the second stage; the last question, which is prepared before.
	if sent.RoundTrips != 4 {
		t.Errorf("it took %+v, want 4 round trips", sent)
	}
	if got := count(t, pool); !slices.Equal(got, []int{2}) {
		t.Errorf("got %v rows, want those of the second lane", got)
	}
	stage := errors.New("no folds")
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := pipeline.Run(ctx, tx, pipeline.Together(func(tx pgx.Tx) error { return put(ctx, tx, 9, 1) }), func() ([]pipeline.Fold, error) { return nil, stage })
		return err
	})
	if got := count(t, pool); !errors.Is(err, stage) || !slices.Equal(got, []int{2}) {
		t.Errorf("got %v and %v rows, want the error of the stage, and nothing written", err, got)
	}
}

// Rows of several tables that nobody waits for share a statement, and each gets its own.
func TestRowsOfSeveralTables(t *testing.T) {
	pool, counts := database(t)
	ctx := t.Context()
	if _, err := pool.Exec(ctx, `
		CREATE TABLE s.a (n int PRIMARY KEY, text text); CREATE TABLE s.b (n int REFERENCES s.a, at timestamptz);
		CREATE TABLE s.c (bytes bytea, n int, yes bool)`); err != nil {
		t.Fatal(err)
	}
	insert := func(tx pgx.Tx, table string, rows ...[]any) error {
		columns := map[string][]string{"a": {"n", "text"}, "b": {"n"}, "c": {"n", "bytes"}}[table]
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"s", table}, columns, pgx.CopyFromRows(rows))
		return err
	}
	fold := func(n int) pipeline.Fold {
		return func(tx pgx.Tx) error {
			return errors.Join(
				insert(tx, "a", []any{n, "x"}, []any{n + 1, nil}), insert(tx, "b", []any{n + 1}), insert(tx, "c", []any{n, []byte{1}}, []any{nil, []byte{2}}),
				insert(tx, "a", []any{n + 2, "z"})) // once more, so in a statement of its own
		}
	}
	if err := runFolds(ctx, pool, fold(0), fold(10)); err != nil {
		t.Fatal(err)
	}
	before := counts.Now()
	if err := runFolds(ctx, pool, fold(20)); err != nil {
		t.Fatal(err)
	}
	if n := counts.Since(before).Statements - 2; n != 2 { // without begin and commit
		t.Errorf("got %d statements, want 2", n)
	}
	var got string
	if err := pool.QueryRow(ctx, `SELECT concat_ws(' ', (SELECT string_agg(n || coalesce(text, '-'), ',' ORDER BY n) FROM s.a),
		(SELECT string_agg(n::text, ',' ORDER BY n) FROM s.b), (SELECT string_agg(coalesce(n::text, '-') || bytes::text, ',' ORDER BY n, bytes) FROM s.c))`).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if want := `0x,1-,2z,10x,11-,12z,20x,21-,22z 1,11,21 0\x01,10\x01,20\x01,-\x02,-\x02,-\x02`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	err := runFolds(ctx, pool, fold(30), func(tx pgx.Tx) error {
		return errors.Join(insert(tx, "c", []any{1, nil}), insert(tx, "a", []any{40, "x"}, []any{20, "x"}), insert(tx, "b", []any{40}))
	}, fold(50))
	var failed *pipeline.Error
	if !errors.As(err, &failed) || failed.Fold != 1 || !strings.Contains(err.Error(), "a_pkey") {
		t.Errorf("got %v, want the error of the second fold", err)
	}
}
