package version

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
)

// Difference is a row in which two versions differ.
type Difference struct {
	Table string  `json:"table"`
	Key   []Value `json:"key"`
	// Missing rows are in the first version only, and Extra ones in the second only.
	Missing bool `json:"missing"`
	Extra   bool `json:"extra"`
	// Columns are those that differ.
	Columns []ColumnDifference `json:"columns"`
	// OldSeq and NewSeq are the events that the two rows name; nil where there is none.
	OldSeq *int64 `json:"old_seq"`
	NewSeq *int64 `json:"new_seq"`
}

// Value is the value of a column, as Postgres writes it; nil for null.
type Value struct {
	Column string  `json:"column"`
	Text   *string `json:"text"`
}

// ColumnDifference is a column that differs, with its values as Postgres writes them; nil for null.
type ColumnDifference struct {
	Column string  `json:"column"`
	Old    *string `json:"old"`
	New    *string `json:"new"`
}

// errEnough ends a comparison whose caller wants no more differences.
var errEnough = errors.New("enough")

// Diff compares the rows of two versions of a projection at a moment at which both reflect the same of the log, and
// waits for that. See DiffIn. One snapshot must do for all tables: both versions move on, and would meet only by chance
// for each table again.
func Diff(ctx context.Context, pool *pgxpool.Pool, definition projections.Definition, v1, v2 int, each func(Difference) bool) error {
	a, b := definition.Spec.At(v1).Schema, definition.Spec.At(v2).Schema
	err := meet(ctx, pool, a, b, func(tx pgx.Tx) error { return DiffIn(ctx, tx, definition, a, b, each) })
	if err != nil {
		return fmt.Errorf("compare projections %s and %s: %w", a, b, err)
	}
	return nil
}

// DiffIn compares the rows of two versions of a projection in a snapshot: the tables and columns that both have, table
// by table in the order of their keys. One of them may have a view of that name instead of the table. It calls each for
// every difference, until each returns false. Tables whose rows depend on how they were built are left out.
func DiffIn(ctx context.Context, snapshot pgx.Tx, definition projections.Definition, a, b projections.Schema, each func(Difference) bool) error {
	err := diffTables(ctx, snapshot, definition.BuildDependent, a, b, each)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func diffTables(ctx context.Context, tx pgx.Tx, leaveOut []string, a, b projections.Schema, each func(Difference) bool) error {
	// A view is compared with the table that it stands for in the other version.
	tables, err := readKeys(ctx, tx, `
		SELECT x.relname FROM pg_class x JOIN pg_class y USING (relname)
		WHERE x.relnamespace = to_regnamespace($1) AND y.relnamespace = to_regnamespace($2)
		  AND (x.relkind = 'r' AND y.relkind IN ('r', 'v') OR x.relkind = 'v' AND y.relkind = 'r') ORDER BY 1`, a.Quoted(), b.Quoted())
	if err != nil {
		return fmt.Errorf("list the tables of both versions: %w", err)
	}
	for _, table := range tables {
		if slices.Contains(leaveOut, table) {
			continue
		}
		c, err := readComparison(ctx, tx, a, b, table)
		if err != nil {
			return err
		}
		if err := c.run(ctx, tx, each); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}
