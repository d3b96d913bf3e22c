// Package migrations has the SQL that creates what every Strata database needs: the log and the register of
// projections. The tables of projections are not here, because each version of a projection creates its own schema.
//
// Migrations only go up. An older program runs on a newer database, so nothing needs a way back, and the way back from
// the first migration would be to drop the log.
package migrations

import (
	"context"
	"embed"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed *.sql
var files embed.FS

// table is the table of the migrations that were applied.
const table = "public.strata_migration"

// lockKey is the key of the advisory lock that serialises processes that migrate the same database.
const lockKey = 0x737472617461 // "strata"

// Up migrates the database at url to the newest version. Several processes may call it at once. It does not change a
// database that is newer than this program, because a rolling deploy has older processes for a while.
func Up(ctx context.Context, url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("parse database url: %w", err)
	}
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()

	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to migrate: %w", err)
	}
	defer func() { _ = conn.Close() }()
	// The lock is held until conn closes. Without it, two processes that run the same DDL at once would fail on unique
	// keys of the catalog. That would be harmless, because goose's version table decides what has been applied.
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, int64(lockKey)); err != nil {
		return fmt.Errorf("wait for other migrations: %w", err)
	}
	restored, err := adopt(ctx, conn)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithVerbose(false), goose.WithAllowOutofOrder(restored),
		goose.WithSlog(slog.New(slog.DiscardHandler)), goose.WithTableName(table))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if restored {
		if _, err := conn.ExecContext(ctx, `UPDATE strata.archive SET id = a.id FROM log.archive a`); err != nil {
			return fmt.Errorf("give the archive the identity of the restored log: %w", err)
		}
	}
	return nil
}
