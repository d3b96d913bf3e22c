package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/projections"
	"strata/projections/follow/internal/pipeline"
)

// runFolds runs folds in a transaction.
func runFolds(ctx context.Context, pool *pgxpool.Pool, folds ...pipeline.Fold) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := pipeline.Run(ctx, tx, pipeline.Together(folds...))
		return err
	})
}

// The server executes what one lane asks while another still computes.
func TestServerWorksMeanwhile(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	if _, err := pool.Exec(ctx, `CREATE SEQUENCE s.asked`); err != nil {
		t.Fatal(err)
	}
	const asked = 10
	asks := func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		for range asked {
			batch.Queue(`SELECT nextval('s.asked')`)
		}
		return tx.SendBatch(ctx, batch).Close()
	}
	if err := runFolds(ctx, pool, asks); err != nil { // the connection prepares the statement
		t.Fatal(err)
	}
	if err := runFolds(ctx, pool, asks, func(pgx.Tx) error {
		eventually.Holds(t, "the server has executed what the first lane asks", func() bool {
			var last int
			err := pool.QueryRow(ctx, `SELECT last_value FROM s.asked`).Scan(&last)
			return err == nil && last == 2*asked
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// Whatever lanes do, each finds exactly what it has written itself, and a fault is the fault of the lane that has it.
func TestAnyFolds(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	for seed := range uint64(40) {
		if _, err := pool.Exec(ctx, `TRUNCATE s.item`); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(seed, 1))
		lanes := 1 + random.IntN(6)
		atFault := random.IntN(2*lanes) - lanes // negative for none
		folds := make([]pipeline.Fold, lanes)
		for lane := range folds {
			steps := rand.New(rand.NewPCG(seed, uint64(lane)+2))
			folds[lane] = func(tx pgx.Tx) error { return anySteps(ctx, tx, steps, lane, lane == atFault) }
		}
		err := runFolds(ctx, pool, folds...)
		var failed *pipeline.Error
		switch {
		case atFault < 0 && err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case atFault >= 0 && (!errors.As(err, &failed) || failed.Fold != atFault || errors.Is(err, pipeline.ErrAborted)):
			t.Fatalf("seed %d: got %v, want the error of lane %d", seed, err, atFault)
		case atFault >= 0 && len(count(t, pool)) != 0:
			t.Fatalf("seed %d: rows are left of a transaction that has failed", seed)
		}
	}
}

// anySteps writes and reads rows of a lane in any order, and fails somewhere if it is to.
func anySteps(ctx context.Context, tx pgx.Tx, random *rand.Rand, lane int, fails bool) error {
	const steps = 12
	rows, fault := 0, random.IntN(steps)
	for step := range steps {
		if fails && step == fault {
			_, err := tx.Exec(ctx, `SELECT 1 / $1::int`, 0)
			return err
		}
		switch n := []int{1, 1, 2, 5, 130}[random.IntN(5)]; random.IntN(6) {
		case 0: // rows, whose insertion nobody waits for
			if _, err := tx.CopyFrom(ctx, pgx.Identifier{"s", "item"}, []string{"lane", "n"}, pgx.CopyFromSlice(n, func(i int) ([]any, error) {
				return []any{lane, rows + i}, nil
			})); err != nil {
				return err
			}
			rows += n
		case 1:
			tag, err := tx.Exec(ctx, `DELETE FROM s.item WHERE lane = $1 AND n >= $2`, lane, rows-n)
			if want := min(n, rows); err != nil || int(tag.RowsAffected()) != want {
				return fmt.Errorf("deleted %d rows (%w), want %d", tag.RowsAffected(), err, want)
			}
			rows -= min(n, rows)
		case 2:
			if _, err := tx.Conn().Exec(ctx, `SELECT 1`); err != nil {
				return err
			}
		case 3:
			batch := &pgx.Batch{}
			for range n % 7 {
				batch.Queue(`INSERT INTO s.item (lane, n) VALUES ($1, $2)`, lane, rows)
				rows++
			}
			if err := tx.SendBatch(ctx, batch).Close(); err != nil {
				return err
			}
		case 4:
			sql, encoded := binaryItems(lane, rows, n)
			if err := tx.(projections.BinaryCopier).CopyBinary(ctx, sql, encoded); err != nil {
				return err
			}
			rows += n
		case 5:
			args := []any{lane}
			if n == 5 {
				args = []any{pgx.QueryExecModeExec, lane}
			}
			var got int
			if err := tx.QueryRow(ctx, `SELECT count(*) FROM s.item WHERE lane = $1`, args...).Scan(&got); err != nil || got != rows {
				return fmt.Errorf("got %d rows (%w), want %d", got, err, rows)
			}
		}
	}
	return nil
}

// A statement whose result has changed with its table fails once, as with any prepared statement, and is prepared anew then.
func TestTableChanges(t *testing.T) {
	pool, _ := database(t)
	ctx, columns := t.Context(), 0
	read := func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT * FROM s.item`)
		columns = len(rows.FieldDescriptions())
		return err
	}
	if err := runFolds(ctx, pool, read); err != nil || columns != 5 {
		t.Fatalf("got %d columns (%v), want 5", columns, err)
	}
	if _, err := pool.Exec(ctx, `ALTER TABLE s.item ADD COLUMN more int`); err != nil {
		t.Fatal(err)
	}
	if err := runFolds(ctx, pool, read); err == nil {
		t.Error("a result of another shape was read")
	}
	if err := runFolds(ctx, pool, read); err != nil || columns != 6 {
		t.Errorf("got %d columns (%v), want 6", columns, err)
	}
}

// A transaction ends with its context, also while it waits for the server.
func TestContextEnds(t *testing.T) {
	pool, _ := database(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	started := time.Now()
	err := runFolds(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT pg_sleep(30)`)
		return err
	}, func(tx pgx.Tx) error { return put(ctx, tx, 1, 3) })
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(started) > 20*time.Second {
		t.Errorf("got %v after %v, want the end of the context", err, time.Since(started))
	}
	if got := count(t, pool); len(got) != 0 {
		t.Errorf("%v rows are left", got)
	}
}
