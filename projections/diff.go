package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Difference is a row that two versions don't have alike.
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

// Value is that of a column, as Postgres writes it; nil for null.
type Value struct {
	Column string  `json:"column"`
	Text   *string `json:"text"`
}

// ColumnDifference is a column that differs, as Postgres writes its values; nil for null.
type ColumnDifference struct {
	Column string  `json:"column"`
	Old    *string `json:"old"`
	New    *string `json:"new"`
}

// errEnough ends a comparison that its caller has seen enough of.
var errEnough = errors.New("enough")

// Diff compares the rows of two versions of a projection: the tables and columns that both have, table by table in the order
// of their keys. What it finds is streamed to each, which ends it by returning false. It looks at a moment at which both reflect the
// same of the log, and waits for that. Tables whose rows depend on how they were built are left out.
func Diff(ctx context.Context, pool *pgxpool.Pool, definition Definition, v1, v2 int, each func(Difference) bool) error {
	a, b := Instance{definition.Spec.Name, v1}, Instance{definition.Spec.Name, v2}
	err := meet(ctx, pool, a, b, func(tx pgx.Tx) error { return diff(ctx, tx, definition.BuildDependent, a, b, each) })
	if err != nil && !errors.Is(err, errEnough) {
		return fmt.Errorf("compare projections %s and %s: %w", a, b, err)
	}
	return nil
}

func diff(ctx context.Context, tx pgx.Tx, leaveOut []string, a, b Instance, each func(Difference) bool) error {
	old, err := tablesOf(ctx, tx, a)
	if err != nil {
		return err
	}
	now, err := tablesOf(ctx, tx, b)
	if err != nil {
		return err
	}
	for _, table := range old {
		if !slices.Contains(now, table) || slices.Contains(leaveOut, table) {
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
