package pipeline_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/projections/follow/internal/pipeline"
)

// TestUnreadResults sends batches whose results a fold reads, and others of which it reads none. It waits for the former alone, and an
// error of the latter is that of the fold all the same.
func TestUnreadResults(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	run := func(folds ...pipeline.Fold) (sent pipeline.Counts, err error) {
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) (err error) {
			if _, err := tx.Exec(ctx, `DELETE FROM s.item`); err != nil {
				return err
			}
			sent, err = pipeline.Run(ctx, tx, pipeline.Together(folds...))
			return err
		})
		return sent, err
	}
	insert := func(tx pgx.Tx, n int, read bool) error {
		batch := &pgx.Batch{}
		queued := batch.Queue(`INSERT INTO s.item (lane, n) VALUES (1, $1)`, n)
		if read {
			queued.Exec(func(pgconn.CommandTag) error { return nil })
		}
		return tx.SendBatch(ctx, batch).Close()
	}
	two := func(read bool) (roundTrips int) {
		sent, err := run(func(tx pgx.Tx) error { return errors.Join(insert(tx, 1, read), insert(tx, 2, read)) })
		if err != nil {
			t.Fatal(err)
		}
		if got := count(t, pool); len(got) != 1 || got[0] != 2 {
			t.Errorf("there are rows %v, want 2 of one lane", got)
		}
		return sent.RoundTrips
	}
	two(true) // the connection prepares its statements
	if read, unread := two(true), two(false); read != 2 || unread != 1 {
		t.Errorf("two batches took %d round trips whose results are read, and %d, want 2 and 1", read, unread)
	}
	_, err := run(func(pgx.Tx) error { return nil }, func(tx pgx.Tx) error { return errors.Join(insert(tx, 1, false), insert(tx, 1, false)) })
	var failed *pipeline.Error
	var refused *pgconn.PgError
	if !errors.As(err, &failed) || failed.Fold != 1 || !errors.As(err, &refused) || refused.Code != "23505" {
		t.Errorf("got %v, want the violation of a unique key by the second fold", err)
	}
}
