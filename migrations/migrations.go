// Package migrations has the SQL that creates what every Strata database needs: the log and the register of
// projections. The tables of projections are not here, because each version of a projection creates its own schema.
//
// Migrations only go up. An older program runs on a newer database, so nothing needs a way back, and the way back from
// the first migration would be to drop the log.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"strata/internal/edge"
	"strata/internal/locks"
)

//go:embed *.sql
var files embed.FS

// table is the table of the migrations that were applied.
const table = "public.strata_migration"

// dial connects to a database.
var dial = edge.Dial(&net.Dialer{KeepAlive: time.Minute})

// Up migrates the database at url to the newest version. Several processes may call it at once. It does not change a
// database that is newer than this program, because a rolling deploy has older processes for a while.
func Up(ctx context.Context, url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("parse database url: %w", err)
	}
	config.DialFunc = dial
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()

	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to migrate: %w", err)
	}
	defer func() { _ = conn.Close() }()
	restored, err := adopt(ctx, conn)
	if err != nil { // another process may have adopted it at the same time
		restored, err = adopt(ctx, conn)
	}
	if err != nil {
		return fmt.Errorf("adopt a restored log: %w", err)
	}
	// In a restored log, migrations of other schemas are missing before those that the backup contains.
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithVerbose(false), goose.WithAllowOutofOrder(true),
		goose.WithSlog(slog.New(slog.DiscardHandler)), goose.WithTableName(table))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	pending, err := provider.HasPending(ctx) // makes the table, if there is none
	if err != nil {
		return fmt.Errorf("read which migrations are applied: %w", err)
	}
	if pending {
		if err := upAlone(ctx, db, provider); err != nil {
			return err
		}
	}
	if restored {
		if _, err := conn.ExecContext(ctx, restoreSkips); err != nil {
			return fmt.Errorf("read from the restored log what projections skip: %w", err)
		}
	}
	if _, err := conn.ExecContext(ctx, `UPDATE strata.archive s SET id = l.id FROM log.archive l WHERE s.id <> l.id`); err != nil {
		return fmt.Errorf("give the archive the identity of the log: %w", err)
	}
	return nil
}

// upAlone applies what is pending, while no other process does. Two processes that run the same DDL at once would fail on unique keys
// of the catalog. That would be harmless, because goose's version table decides what has been applied. The lock is that of a
// transaction, because a session may not keep its connection where a pooler is between.
func upAlone(ctx context.Context, db *sql.DB, provider *goose.Provider) error {
	alone, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("connect to migrate: %w", err)
	}
	defer alone.Rollback() //nolint:errcheck // it has only locked
	if _, err := alone.ExecContext(ctx, locks.Setting(0)); err != nil {
		return fmt.Errorf("connect to migrate: %w", err)
	}
	if _, err := alone.ExecContext(ctx, locks.TableSQL(table)); err != nil {
		return fmt.Errorf("wait for other migrations: %w", err)
	}
	defer locks.KeepAlive(ctx, 0, func(ctx context.Context) error {
		_, err := alone.ExecContext(ctx, `SELECT`)
		return err
	})()
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// Exists reports whether the database at url has the log of Strata. It changes nothing there.
func Exists(ctx context.Context, url string) (exists bool, err error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return false, fmt.Errorf("parse database url: %w", err)
	}
	config.DialFunc = dial
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := conn.QueryRow(ctx, `SELECT to_regclass('log.head') IS NOT NULL`).Scan(&exists); err != nil {
		return false, fmt.Errorf("look for the log of Strata: %w", err)
	}
	return exists, nil
}
