package postgres

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
)

// refresh gives the databases of a cluster that pg_upgrade has made what it lacks: statistics, and, if the order of texts has
// changed with the system's libraries, indexes in the new order.
func (s server) refresh(ctx context.Context, log *slog.Logger) error {
	conn, err := pgx.Connect(ctx, s.url(AdminUser, AdminUser))
	if err != nil {
		return fmt.Errorf("analyze the new cluster: %w", err)
	}
	rows, err := conn.Query(ctx, `SELECT datname::text FROM pg_catalog.pg_database WHERE datallowconn AND NOT datistemplate ORDER BY datname`)
	if err != nil {
		return fmt.Errorf("analyze the new cluster: %w", err)
	}
	databases, err := pgx.CollectRows(rows, pgx.RowTo[string])
	_ = conn.Close(ctx)
	if err != nil {
		return fmt.Errorf("analyze the new cluster: %w", err)
	}
	for _, name := range databases {
		if err := s.refreshDatabase(ctx, name, log); err != nil {
			return fmt.Errorf("analyze database %s of the new cluster: %w", name, err)
		}
	}
	return nil
}

// staleCollations lists the statements that say that indexes have the order of today's collations.
const staleCollations = `
	SELECT format('ALTER COLLATION %I.%I REFRESH VERSION', n.nspname, c.collname)
	FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace
	WHERE c.collversion <> pg_catalog.pg_collation_actual_version(c.oid)`

// staleDatabase is the same for the default collation of the database, which has a version from PostgreSQL 15 on.
const staleDatabase = `
	UNION ALL
	SELECT format('ALTER DATABASE %I REFRESH COLLATION VERSION', d.datname)
	FROM pg_catalog.pg_database d
	WHERE d.datname = current_database() AND d.datcollversion <> pg_catalog.pg_database_collation_actual_version(d.oid)`

func (s server) refreshDatabase(ctx context.Context, name string, log *slog.Logger) error {
	conn, err := pgx.Connect(ctx, s.url(AdminUser, name))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // all statements have completed
	var version int
	if err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000`).Scan(&version); err != nil {
		return err
	}
	sql := staleCollations
	if version >= 15 {
		sql += staleDatabase
	}
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return err
	}
	stale, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if len(stale) > 0 {
		log.InfoContext(ctx, "the order of texts has changed; building indexes anew", slog.String("database", name))
		if _, err := conn.Exec(ctx, "REINDEX DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
			return err
		}
	}
	for _, statement := range append(stale, "ANALYZE") {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
