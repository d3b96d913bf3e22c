package version

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
)

// Unmatched is a table or a column that only one of two versions has. A comparison leaves it out.
type Unmatched struct {
	In     projections.Schema
	Table  string
	Column string // empty for a whole table
}

func (u Unmatched) String() string {
	if u.Column == "" {
		return fmt.Sprintf("only version %d has the table %s", u.In.Version, u.Table)
	}
	return fmt.Sprintf("only version %d has the column %s.%s", u.In.Version, u.Table, u.Column)
}

// FindUnmatched returns the tables and columns that only one of two versions of a projection has.
func FindUnmatched(ctx context.Context, pool *pgxpool.Pool, a, b projections.Schema) ([]Unmatched, error) {
	rows, err := pool.Query(ctx, `
		WITH here AS (
			SELECT table_schema, table_name, column_name, table_type = 'VIEW' AS is_view
			FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name) WHERE table_schema IN ($1, $2)
		)
		SELECT DISTINCT h.table_schema = $1, h.table_name, CASE WHEN t.table_name IS NULL THEN '' ELSE h.column_name END
		FROM here h
		LEFT JOIN here c ON c.table_schema <> h.table_schema AND c.table_name = h.table_name AND c.column_name = h.column_name
		LEFT JOIN here t ON t.table_schema <> h.table_schema AND t.table_name = h.table_name
		WHERE c.column_name IS NULL AND NOT (h.is_view AND coalesce(t.is_view, true))
		ORDER BY 2, 3, 1`, a.String(), b.String())
	if err != nil {
		return nil, fmt.Errorf("compare the columns of %s and %s: %w", a, b, err)
	}
	unmatched, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (u Unmatched, err error) {
		var first bool
		err = row.Scan(&first, &u.Table, &u.Column)
		if u.In = b; first {
			u.In = a
		}
		return u, err
	})
	if err != nil {
		return nil, fmt.Errorf("compare the columns of %s and %s: %w", a, b, err)
	}
	return unmatched, nil
}
