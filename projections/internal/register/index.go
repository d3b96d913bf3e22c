package register

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

	"strata/projections"
)

// Index ends a build: it makes the indexes that only readers need, updates the planner's statistics of all tables, and packs indexes.
// Each index commits alone, so that an interrupted call makes none of them twice.
func Index(ctx context.Context, pool *pgxpool.Pool, spec projections.Spec, epoch [16]byte, logger *slog.Logger) error {
	started := time.Now()
	_, indexes := splitDDL(spec)
	statements := splitStatements(indexes)
	for _, statement := range statements {
		_, err := pool.Exec(ctx, statement)
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "42P07" { // duplicate_table: made by an interrupted call
			continue
		}
		if err != nil {
			return fmt.Errorf("make an index of projection %s for readers (%s): %w", spec, statement, err)
		}
	}
	if err := settle(ctx, pool, spec.Schema); err != nil {
		return err
	}
	if err := packIndexes(ctx, pool, spec.Schema); err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, `UPDATE strata.projection SET indexed = true WHERE name = $1 AND version = $2 AND epoch = $3`, spec.Name, spec.Version, epoch); err != nil {
		return fmt.Errorf("note that projection %s has its indexes: %w", spec, err)
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "made the indexes of a projection", slog.String("projection", spec.String()),
		slog.Int("indexes", len(statements)), slog.Duration("took", time.Since(started)))
	return nil
}

// IndexLoaded ends a build in which all rows were copied, in its transaction: its other indexes are packed already.
func IndexLoaded(ctx context.Context, tx pgx.Tx, spec projections.Spec) error {
	_, indexes := splitDDL(spec)
	if _, err := tx.Exec(ctx, indexes); err != nil {
		return fmt.Errorf("make the indexes of projection %s for readers: %w", spec, err)
	}
	if err := settle(ctx, tx, spec.Schema); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE strata.projection SET indexed = true WHERE name = $1 AND version = $2`, spec.Name, spec.Version)
	return err
}

// settle ends the settings of a build, and updates the planner's statistics.
func settle(ctx context.Context, q Querier, version projections.Schema) error {
	if err := alterTables(ctx, q, version, builtSettings); err != nil {
		return err
	}
	tables, err := TablesOf(ctx, q, version)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := q.Exec(ctx, `ANALYZE `+version.Table(table)); err != nil {
			return fmt.Errorf("analyse table %s of projection %s: %w", table, version, err)
		}
	}
	return nil
}

// packIndexes rebuilds the indexes whose keys a build has inserted in no order: their pages are little more than half full. The
// statistics of a table say how far its rows are in the order of an index's first column. Readers of a version that is built for the
// first time wait meanwhile, table by table.
func packIndexes(ctx context.Context, pool *pgxpool.Pool, version projections.Schema) error {
	rows, _ := pool.Query(ctx, `
		SELECT i.indexrelid::regclass::text
		FROM pg_index i
		JOIN pg_class c ON c.oid = i.indexrelid AND c.relpages > 100 -- few pages gain nothing
		JOIN pg_class t ON t.oid = i.indrelid
		JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
		JOIN pg_stats s ON s.schemaname = $1 AND s.tablename = t.relname AND s.attname = a.attname
		WHERE t.relnamespace = to_regnamespace($1) AND abs(s.correlation) < 0.9`, version.String())
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list the indexes of projection %s: %w", version, err)
	}
	for _, name := range names {
		if _, err := pool.Exec(ctx, `REINDEX INDEX `+name); err != nil {
			return fmt.Errorf("rebuild index %s: %w", name, err)
		}
	}
	return nil
}

// Settings of tables. During a build, autovacuum neither freezes nor analyses a table because rows were inserted, which
// would read the table again each time that it has grown by a part: folds need no statistics, and readers get theirs at
// the end of the build. Dead rows are vacuumed as usual.
const (
	buildSettings = `SET (autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 2147483647)`
	builtSettings = `RESET (autovacuum_vacuum_insert_threshold, autovacuum_analyze_threshold)`
)

// alterTables alters all tables of a version.
func alterTables(ctx context.Context, q Querier, version projections.Schema, change string) error {
	tables, err := TablesOf(ctx, q, version)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := q.Exec(ctx, `ALTER TABLE `+version.Table(table)+` `+change); err != nil {
			return fmt.Errorf("alter table %s of projection %s: %w", table, version, err)
		}
	}
	return nil
}

// TablesOf returns the names of the tables of a version.
func TablesOf(ctx context.Context, q Querier, version projections.Schema) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT tablename::text FROM pg_tables WHERE schemaname = $1 ORDER BY tablename`, version.String())
	if err != nil {
		return nil, fmt.Errorf("list the tables of projection %s: %w", version, err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list the tables of projection %s: %w", version, err)
	}
	return tables, nil
}

// IndexNames returns the names of the indexes that DDL makes.
func IndexNames(ddl string) (names []string) {
	for _, statement := range splitStatements(ddl) {
		words := strings.Fields(statement)
		for i := 0; i+2 < len(words) && i < 2; i++ { // CREATE INDEX name, or CREATE UNIQUE INDEX name
			if words[i] == "CREATE" && words[i+1] == "INDEX" || words[i] == "UNIQUE" && words[i+1] == "INDEX" {
				names = append(names, words[i+2])
			}
		}
	}
	return names
}

// splitStatements splits SQL into statements, without comments. The SQL must have semicolons only at the ends of
// statements.
func splitStatements(sql string) (all []string) {
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
