package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// meetPatience is how long two instances that are followed may take to stand at the same place.
const meetPatience = 30 * time.Second

// meet calls f in a snapshot in which two instances reflect the same of the log. Where they do not come to it by themselves, the
// follower of the one that is ahead is held back for a moment.
func meet(ctx context.Context, pool *pgxpool.Pool, a, b Instance, f func(tx pgx.Tx) error) error {
	for deadline := time.Now().Add(meetPatience); ; sleep(ctx, 20*time.Millisecond) {
		var s, t Status
		met := false
		err := inSnapshot(ctx, pool, func(tx pgx.Tx) (err error) {
			if s, err = statusOf(ctx, tx, a); err != nil {
				return err
			}
			if t, err = statusOf(ctx, tx, b); err != nil {
				return err
			}
			if met = together(s, t); !met {
				return nil
			}
			return f(tx)
		})
		if err != nil || met {
			return err
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("projections %s and %s do not stand at the same place: event %d and event %d of the log", a, b, s.LogSeq, t.LogSeq)
		}
		if s.Input != t.Input {
			continue // at the head they meet
		}
		if s.Position < t.Position {
			s, t = t, s
		}
		met, err = holdBack(ctx, pool, s.Instance(), t.Instance(), f)
		if err != nil || met {
			return err
		}
	}
}

// together says whether two instances reflect the same of the log.
func together(s, t Status) bool {
	if s.Input == t.Input {
		return s.Position == t.Position
	}
	return s.LogSeq == t.LogSeq && s.Lag() == 0 && t.Lag() == 0
}

// holdBack holds the follower of ahead until the other has come to where it stands.
func holdBack(ctx context.Context, pool *pgxpool.Pool, ahead, behind Instance, f func(tx pgx.Tx) error) (met bool, err error) {
	err = inSnapshotAfter(ctx, pool, func(lock pgx.Tx) (bool, error) {
		at, err := hold(ctx, lock, ahead)
		if err != nil {
			return false, err
		}
		for deadline := time.Now().Add(levelPatience); time.Now().Before(deadline) && ctx.Err() == nil; sleep(ctx, 2*time.Millisecond) {
			var other int64
			if err := lock.QueryRow(ctx, `SELECT position FROM strata.projection WHERE name = $1 AND version = $2`, behind.Name, behind.Version).Scan(&other); err != nil {
				return false, fmt.Errorf("read where projection %s stands: %w", behind, err)
			}
			if other >= at {
				return true, nil
			}
		}
		return false, nil
	}, func(tx pgx.Tx) error {
		s, err := statusOf(ctx, tx, ahead)
		if err != nil {
			return err
		}
		t, err := statusOf(ctx, tx, behind)
		if err != nil {
			return err
		}
		if met = together(s, t); !met { // the other has gone past it
			return nil
		}
		return f(tx)
	})
	return met, err
}

// inSnapshot calls f in a transaction that sees one state of the database.
func inSnapshot(ctx context.Context, pool *pgxpool.Pool, f func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f)
}

// inSnapshotAfter calls f in a snapshot of a state that prepare holds with locks, which it gives up before f runs. f is not
// called when prepare says no.
func inSnapshotAfter(ctx context.Context, pool *pgxpool.Pool, prepare func(lock pgx.Tx) (bool, error), f func(tx pgx.Tx) error) error {
	lock, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Rollback(context.WithoutCancel(ctx)) }()
	if ready, err := prepare(lock); err != nil || !ready {
		return err
	}
	return inSnapshot(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM strata.projection LIMIT 1`); err != nil { // the snapshot is that of the first query
			return err
		}
		if err := lock.Rollback(ctx); err != nil {
			return err
		}
		return f(tx)
	})
}
