package register

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// AddReader lets a role read the views in schema api and the tables of all versions, and those that come later.
func AddReader(ctx context.Context, tx pgx.Tx, es Entries, role string) error {
	if _, err := tx.Exec(ctx, `INSERT INTO strata.sql_role (name) VALUES ($1) ON CONFLICT DO NOTHING`, role); err != nil {
		return fmt.Errorf("note the role %s of SQL users: %w", role, err)
	}
	for _, e := range es {
		if err := letReadersIn(ctx, tx, e.String()); err != nil {
			return err
		}
	}
	return letReadersIn(ctx, tx, "api")
}

// letReadersIn lets the roles of SQL users read all tables and views of a schema.
func letReadersIn(ctx context.Context, tx pgx.Tx, schema string) error {
	rows, err := tx.Query(ctx, `SELECT name FROM strata.sql_role WHERE name IN (SELECT rolname FROM pg_roles) ORDER BY name`)
	if err != nil {
		return fmt.Errorf("read the roles of SQL users: %w", err)
	}
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read the roles of SQL users: %w", err)
	}
	for _, role := range roles {
		on, to := pgx.Identifier{schema}.Sanitize(), pgx.Identifier{role}.Sanitize()
		if _, err := tx.Exec(ctx, `GRANT USAGE ON SCHEMA `+on+` TO `+to+`; GRANT SELECT ON ALL TABLES IN SCHEMA `+on+` TO `+to); err != nil {
			return fmt.Errorf("let role %s read schema %s: %w", role, schema, err)
		}
	}
	return nil
}
