package version

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
)

// ActiveOf returns the active version of a projection; version 0 if there is none.
func ActiveOf(ctx context.Context, pool *pgxpool.Pool, name string) (projections.Schema, error) {
	active, err := Active(ctx, pool)
	return projections.Schema{Name: name, Version: active[name]}, err
}

// Active returns the number of the active version of each projection.
func Active(ctx context.Context, pool *pgxpool.Pool) (map[string]int, error) {
	rows, err := pool.Query(ctx, `SELECT name, version FROM strata.active`)
	if err != nil {
		return nil, fmt.Errorf("read the active versions of read tables: %w", err)
	}
	active := map[string]int{}
	var name string
	var number int
	if _, err := pgx.ForEachRow(rows, []any{&name, &number}, func() error {
		active[name] = number
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the active versions of read tables: %w", err)
	}
	return active, nil
}
