package internal_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/locks"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// A transaction that waits for its process too long is ended, with its locks. One whose process works at something else is not.
func TestHoldLock(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	const patience = 300 * time.Millisecond
	free := func() (free bool) {
		t.Helper()
		must.Do(t, pool.QueryRow(t.Context(), `SELECT pg_try_advisory_xact_lock(7)`).Scan(&free))
		return free
	}
	held := func(while func(tx pgx.Tx)) error {
		return locks.Hold(t.Context(), pool, patience, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock(7)`); err != nil {
				return err
			}
			while(tx)
			return nil
		})
	}
	err := held(func(pgx.Tx) {
		eventually.Holds(t, "the lock of a process that does nothing is released", free)
	})
	if err == nil {
		t.Error("a transaction whose lock is lost was committed")
	}
	err = held(func(tx pgx.Tx) {
		stop := locks.KeepAlive(t.Context(), patience, func(ctx context.Context) error {
			_, err := tx.Exec(ctx, `SELECT`)
			return err
		})
		defer stop()
		eventually.Stays(t, "a process that works has its lock", 4*patience, func() bool { return !free() })
	})
	if err != nil {
		t.Error(err)
	}
	failing := errors.New("no")
	if err := locks.Hold(t.Context(), pool, 0, func(pgx.Tx) error { return failing }); !errors.Is(err, failing) {
		t.Errorf("got %v, want the error of f", err)
	}
}

// One transaction at a time has the lock of a table, whose reads and writes go on.
func TestLockTable(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	must.Get(pool.Exec(t.Context(), `CREATE TABLE public.locked (n int)`))(t)
	try := func(while func()) error {
		return locks.Hold(t.Context(), pool, 0, func(tx pgx.Tx) error {
			if err := locks.TryTable(t.Context(), tx, `public.locked`); err != nil {
				return err
			}
			while()
			return nil
		})
	}
	must.Do(t, locks.Hold(t.Context(), pool, 0, func(tx pgx.Tx) error {
		if err := locks.Table(t.Context(), tx, `public.locked`); err != nil {
			return err
		}
		if err := try(func() { t.Error("two transactions have the lock") }); !errors.Is(err, locks.ErrHeld) {
			t.Errorf("got %v, want ErrHeld", err)
		}
		_, err := pool.Exec(t.Context(), `INSERT INTO public.locked SELECT count(*) FROM public.locked`)
		return err
	}))
	if err := try(func() {}); err != nil {
		t.Errorf("after the end of the transaction: %v", err)
	}
}
