package pipeline

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// columnTypes are the SQL types of the columns of a table.
type columnTypes map[string]string

// typesOf returns the types of the columns of a table. A connection asks once for all tables of a schema.
func (p *pipeline) typesOf(ctx context.Context, table pgx.Identifier) (columnTypes, error) {
	schema, name := table[0], table[len(table)-1]
	kept, key := p.conn.PgConn().CustomData(), "types of columns in "+schema
	tables, _ := kept[key].(map[string]columnTypes)
	if types := tables[name]; types != nil {
		return types, nil
	}
	p.end()
	rows, err := p.conn.Query(ctx, `
		SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)
		FROM pg_class c
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relkind IN ('r', 'p')`, schema)
	if err != nil {
		return nil, fmt.Errorf("read the types of the columns in schema %s: %w", schema, err)
	}
	tables = map[string]columnTypes{}
	var relation, column, typ string
	if _, err = pgx.ForEachRow(rows, []any{&relation, &column, &typ}, func() error {
		if tables[relation] == nil {
			tables[relation] = columnTypes{}
		}
		tables[relation][column] = typ
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the types of the columns in schema %s: %w", schema, err)
	}
	kept[key] = tables
	return tables[name], nil
}
