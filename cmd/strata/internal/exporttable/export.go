package exporttable

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
	At     *int64
}

// Result says what was exported.
type Result struct {
	Rows   int64
	Source source
}

// Export writes a view or a table as it is in one snapshot. Memory is bounded: rows are written as Postgres sends them.
func Export(ctx context.Context, pool *pgxpool.Pool, w io.Writer, options Options) (result Result, err error) {
	err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if result.Source, err = find(ctx, tx, options); err != nil {
			return err
		}
		out, err := newEncoder(options.Format, w, result.Source)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, result.Source.query())
		if err != nil {
			return fmt.Errorf("read %s: %w", result.Source.relation, err)
		}
		defer rows.Close()
		targets := result.Source.targets()
		values := make([]any, len(targets))
		for rows.Next() {
			if err := rows.Scan(targets...); err != nil {
				return fmt.Errorf("read row %d of %s: %w", result.Rows+1, result.Source.relation, err)
			}
			for i, target := range targets {
				values[i] = valueOf(target)
			}
			if err := out.write(values); err != nil {
				return fmt.Errorf("write row %d of %s: %w", result.Rows+1, result.Source.relation, err)
			}
			result.Rows++
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("read %s: %w", result.Source.relation, err)
		}
		return out.close()
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
