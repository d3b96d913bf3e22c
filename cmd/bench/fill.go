package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// muchMemory lets a connection sort and make indexes in memory.
const muchMemory = `SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'`

// runningOn runs the queries that fill the tables of a world, of which sql completes the texts.
func runningOn(ctx context.Context, conn *pgxpool.Conn, sql func(query string) string) func(queries ...string) error {
	return func(queries ...string) error {
		for _, query := range queries {
			if _, err := conn.Exec(ctx, sql(query)); err != nil {
				return fmt.Errorf("%.60s…: %w", strings.TrimSpace(query), err)
			}
		}
		return nil
	}
}

// dropIndexes drops the indexes of large tables, as rows are written sooner without, and says how they are made again.
func dropIndexes(ctx context.Context, conn *pgxpool.Conn, tables []string) (restore []string, err error) {
	rows, err := conn.Query(ctx, `
		SELECT CASE WHEN c.oid IS NULL THEN 'DROP INDEX ' || i.indexrelid::regclass ELSE 'ALTER TABLE ' || i.indrelid::regclass || ' DROP CONSTRAINT ' || c.conname END,
		       CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid) ELSE 'ALTER TABLE ' || i.indrelid::regclass || ' ADD CONSTRAINT ' || c.conname || ' ' || pg_get_constraintdef(c.oid) END
		FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
		WHERE i.indrelid = ANY ($1::text[]::regclass[])
		ORDER BY i.indexrelid`, tables)
	if err != nil {
		return nil, err
	}
	var drop, create string
	var drops []string
	if _, err := pgx.ForEachRow(rows, []any{&drop, &create}, func() error {
		drops, restore = append(drops, drop), append(restore, create)
		return nil
	}); err != nil {
		return nil, err
	}
	for _, drop := range drops {
		if _, err := conn.Exec(ctx, drop); err != nil {
			return nil, err
		}
	}
	return restore, nil
}
