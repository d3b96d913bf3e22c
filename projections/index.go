package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// index ends a build: it makes the indexes that readers need and tells the planner of all rows. Each index commits alone, so
// that nothing of it is made twice when it is interrupted.
func index(ctx context.Context, pool *pgxpool.Pool, spec Spec, logger *slog.Logger) error {
	started := time.Now()
	_, indexes := spec.split()
	statements := statementsOf(indexes)
	for _, statement := range statements {
		_, err := pool.Exec(ctx, statement)
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "42P07" { // duplicate_table: it was made before an interruption
			continue
		}
		if err != nil {
			return fmt.Errorf("make an index of projection %s for readers (%s): %w", spec, statement, err)
		}
	}
	if err := alterTables(ctx, pool, spec.instance(), onceBuilt); err != nil {
		return err
	}
	tables, err := tablesOf(ctx, pool, spec.instance())
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := pool.Exec(ctx, `ANALYZE `+spec.instance().table(table)); err != nil {
			return fmt.Errorf("analyse table %s of projection %s: %w", table, spec, err)
		}
	}
	if _, err := pool.Exec(ctx, `UPDATE strata.projection SET indexed = true WHERE name = $1 AND version = $2`, spec.Name, spec.Version); err != nil {
		return fmt.Errorf("note that projection %s has its indexes: %w", spec, err)
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "the indexes of a projection are made", slog.String("projection", spec.String()),
		slog.Int("indexes", len(statements)), slog.Duration("took", time.Since(started)))
	return nil
}

// While tables are built, they are not read again each time that they have grown by a part, to freeze rows and to tell the
// planner of them: a fold needs no statistics, and readers get theirs at the end. Rows that are dead are vacuumed as ever.
const (
	whileBuilt = `SET (autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 2147483647)`
	onceBuilt  = `RESET (autovacuum_vacuum_insert_threshold, autovacuum_analyze_threshold)`
)

// alterTables alters all tables of an instance.
func alterTables(ctx context.Context, q querier, instance Instance, how string) error {
	tables, err := tablesOf(ctx, q, instance)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := q.Exec(ctx, `ALTER TABLE `+instance.table(table)+` `+how); err != nil {
			return fmt.Errorf("alter table %s of projection %s: %w", table, instance, err)
		}
	}
	return nil
}

// statementsOf takes SQL apart that has no semicolons but at the ends of statements.
func statementsOf(sql string) (all []string) {
	for statement := range strings.SplitSeq(sql, ";\n") {
		var lines []string
		for line := range strings.SplitSeq(statement, "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), "--") {
				lines = append(lines, line)
			}
		}
		if statement := strings.TrimSuffix(strings.TrimSpace(strings.Join(lines, "\n")), ";"); statement != "" {
			all = append(all, statement)
		}
	}
	return all
}

// tablesOf are the names of the tables of an instance.
func tablesOf(ctx context.Context, q querier, instance Instance) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT tablename::text FROM pg_tables WHERE schemaname = $1 ORDER BY tablename`, instance.String())
	if err != nil {
		return nil, fmt.Errorf("list the tables of projection %s: %w", instance, err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list the tables of projection %s: %w", instance, err)
	}
	return tables, nil
}
