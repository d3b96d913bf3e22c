package register

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/locks"
)

// InSnapshot calls f in a transaction that sees one state of the database.
func InSnapshot(ctx context.Context, pool *pgxpool.Pool, f func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f)
}

// InSnapshotAfter calls f in a snapshot of the state that prepare holds with locks. The locks are released once the
// snapshot is taken, before f runs. f is not called when prepare returns false.
func InSnapshotAfter(ctx context.Context, pool *pgxpool.Pool, prepare func(lock pgx.Tx) (bool, error), f func(tx pgx.Tx) error) error {
	lock, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Rollback(context.WithoutCancel(ctx)) }()
	if err := locks.Bound(ctx, lock, 0); err != nil {
		return err
	}
	if ready, err := prepare(lock); err != nil || !ready {
		return err
	}
	return InSnapshot(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM strata.projection LIMIT 1`); err != nil { // the first query takes the snapshot
			return err
		}
		if err := lock.Rollback(ctx); err != nil {
			return err
		}
		return f(tx)
	})
}
