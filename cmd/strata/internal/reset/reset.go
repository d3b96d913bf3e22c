// Package reset is the command that empties a database, so that it can take the events of another chain.
package reset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/eventstore/archive"
	"strata/eventstore/importer"
)

// Command is strata reset.
type Command struct {
	Database  database.Flags `embed:"" group:"Database:"`
	KeepLogAs string         `required:"" type:"path" placeholder:"FILE" help:"File to export the whole log to before anything is dropped, such as old.tsv. It must not exist yet."`
}

// Run exports the log, and then drops everything that Strata has made in the database. The next start begins a new log.
func (c *Command) Run(ctx context.Context, globals *program.Globals) error {
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	if err := refuseWhileUsed(ctx, db.Pool); err != nil {
		return err
	}
	events, err := c.keep(ctx, db)
	if err != nil {
		return fmt.Errorf("--keep-log-as: %w; nothing was dropped", err)
	}
	if err := drop(ctx, db.Pool, events); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s has the %d events of the old log; the database is empty. The next strata serve or import begins a new log.\n", c.KeepLogAs, events)
	return nil
}

// refuseWhileUsed returns an error if other programs are connected: a server would go on to write what it has in memory.
func refuseWhileUsed(ctx context.Context, pool *pgxpool.Pool) error {
	var others int32
	err := pool.QueryRow(ctx, `
		SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`).Scan(&others)
	if err != nil {
		return fmt.Errorf("look who uses the database: %w", err)
	}
	if others -= pool.Stat().TotalConns(); others > 0 {
		return fmt.Errorf("%d other connections use this database: stop strata serve, and whatever else reads it, first", others)
	}
	return nil
}

// keep exports the log, and returns the number of its events.
func (c *Command) keep(ctx context.Context, db *database.DB) (events int64, err error) {
	file, err := os.OpenFile(c.KeepLogAs, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	result, err := importer.Export(ctx, db.Log, file, importer.ExportOptions{Dialect: archive.Copy})
	if err == nil {
		err = file.Sync()
	}
	return result.Events, errors.Join(err, file.Close())
}

// drop drops the schemas of the log, the read tables and what belongs to them, if the log has not grown since it was exported.
func drop(ctx context.Context, pool *pgxpool.Pool, events int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var size int64
		if err := tx.QueryRow(ctx, `SELECT size FROM log.head FOR UPDATE`).Scan(&size); err != nil {
			return fmt.Errorf("lock the log: %w", err)
		}
		if size != events {
			return fmt.Errorf("the log has grown from %d to %d events meanwhile: stop what writes to it; nothing was dropped", events, size)
		}
		rows, _ := tx.Query(ctx, `
			SELECT quote_ident(nspname) FROM pg_namespace
			WHERE nspname IN ('log', 'strata', 'api', 'metadata', 'river', 'faucet')
			   OR nspname IN (SELECT name || '_v' || version FROM strata.projection)`)
		schemas, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("list what to drop: %w", err)
		}
		if _, err := tx.Exec(ctx, `DROP SCHEMA `+strings.Join(schemas, ", ")+` CASCADE; DROP TABLE public.strata_migration`); err != nil {
			return fmt.Errorf("drop the log and the read tables: %w", err)
		}
		return nil
	})
}
