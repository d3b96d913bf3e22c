// Package tablefile is strata export-table, and what other commands export by: views and read tables as files for analysis, in Parquet,
// CSV or lines of JSON.
package tablefile

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options say what to export.
type Options struct {
	Name   string
	Format string
	// At selects the state as of a height; nil for the newest.
	At *int64
	// Heights selects the rows whose column height is among these, in the order of the key; nil for all rows.
	Heights *Heights
}

// Heights are the heights from the first to the last.
type Heights struct{ First, Last int64 }

// Result says what was exported.
type Result struct {
	Rows     int64
	Relation string            // as the user knows it
	Columns  []string          // their names
	Facts    map[string]string // of the snapshot: what the metadata of a Parquet file has
}

// Export writes a view or a table as it is in one snapshot. Memory is bounded: rows are written as Postgres sends them.
func Export(ctx context.Context, pool *pgxpool.Pool, w io.Writer, options Options) (result Result, err error) {
	err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		result, err = ExportIn(ctx, tx, w, options)
		return err
	})
	return result, err
}

// ExportIn is Export in a transaction of the caller.
func ExportIn(ctx context.Context, tx pgx.Tx, w io.Writer, options Options) (result Result, err error) {
	from, err := find(ctx, tx, options)
	if err != nil {
		return result, err
	}
	result.Relation, result.Facts = from.relation, from.facts
	for _, c := range from.columns {
		result.Columns = append(result.Columns, c.name)
	}
	out, err := newEncoder(options.Format, w, from)
	if err != nil {
		return result, err
	}
	rows, err := tx.Query(ctx, from.query())
	if err != nil {
		return result, fmt.Errorf("read %s: %w", from.relation, err)
	}
	defer rows.Close()
	targets := from.targets()
	values := make([]any, len(targets))
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return result, fmt.Errorf("read row %d of %s: %w", result.Rows+1, from.relation, err)
		}
		for i, target := range targets {
			values[i] = valueOf(target)
		}
		if err := out.write(values); err != nil {
			return result, fmt.Errorf("write row %d of %s: %w", result.Rows+1, from.relation, err)
		}
		result.Rows++
	}
	if err := rows.Err(); err != nil {
		return result, fmt.Errorf("read %s: %w", from.relation, err)
	}
	return result, out.close()
}

// Look tells what an export of a view or a table would show, without its rows.
func Look(ctx context.Context, pool *pgxpool.Pool, name string) (result Result, err error) {
	err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		from, err := find(ctx, tx, Options{Name: name})
		result.Relation, result.Facts = from.relation, from.facts
		return err
	})
	return result, err
}

// query returns the SQL that selects the rows, with each column in the form in which it is exported.
func (s source) query() string {
	var expressions []string
	for _, c := range s.columns {
		expressions = append(expressions, c.expression())
	}
	return `SELECT ` + strings.Join(expressions, `, `) + ` FROM ` + s.from + ` AS exported`
}

func (s source) targets() (all []any) {
	for _, c := range s.columns {
		switch c.kind {
		case integer:
			all = append(all, new(*int64))
		case boolean:
			all = append(all, new(*bool))
		case instant:
			all = append(all, new(*time.Time))
		case binary:
			all = append(all, new([]byte))
		default:
			all = append(all, new(*string))
		}
	}
	return all
}

// valueOf returns what a target has received; nil for null.
func valueOf(target any) any {
	switch t := target.(type) {
	case **int64:
		return pointed(*t)
	case **bool:
		return pointed(*t)
	case **time.Time:
		return pointed(*t)
	case **string:
		return pointed(*t)
	case *[]byte:
		if *t != nil {
			return *t
		}
	}
	return nil
}

func pointed[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
