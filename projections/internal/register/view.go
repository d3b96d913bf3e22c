package register

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
)

// viewTimeout bounds how long changing views, or dropping tables, waits for readers to end. Other readers queue behind
// it meanwhile.
const viewTimeout = `250ms`

// View is a view that shows a table of a projection.
type View struct {
	schema, name string
	// Shows is the schema of the table.
	Shows string
}

// String returns the name of the view, quoted for SQL.
func (v View) String() string { return pgx.Identifier{v.schema, v.name}.Sanitize() }

// parseView splits an entry of Spec.Views: "view:table", or one name for both.
func parseView(entry string) (view, table string) {
	if view, table, ok := strings.Cut(entry, ":"); ok {
		return view, table
	}
	return entry, entry
}

// showViews makes the views in the schema api show the tables of spec. It drops views that show tables of other
// versions and that spec does not have.
func showViews(ctx context.Context, tx pgx.Tx, spec projections.Spec) error {
	var own []string
	for _, entry := range spec.Views {
		name, table := parseView(entry)
		own = append(own, name)
		if err := showView(ctx, tx, pgx.Identifier{"api", name}.Sanitize(), spec.Table(table)); err != nil {
			return err
		}
	}
	views, err := Views(ctx, tx, spec.Name)
	if err != nil {
		return err
	}
	for _, v := range views {
		if v.schema == "api" && !slices.Contains(own, v.name) {
			if _, err := tx.Exec(ctx, `DROP VIEW `+v.String()); err != nil {
				return fmt.Errorf("drop view %s, which the new version does not have: %w", v, err)
			}
		}
	}
	_, err = tx.Exec(ctx, `UPDATE strata.active SET viewed = $2 WHERE name = $1 AND version = $2`, spec.Name, spec.Version)
	return err
}

// showView makes a view show a table. A view that Postgres can't give other columns is dropped and made anew.
func showView(ctx context.Context, tx pgx.Tx, view, table string) error {
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf(`CREATE OR REPLACE VIEW %s AS SELECT * FROM %s`, view, table))
		return err
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42P16" { // invalid_table_definition
		_, err = tx.Exec(ctx, fmt.Sprintf(`DROP VIEW %[1]s; CREATE VIEW %[1]s AS SELECT * FROM %[2]s`, view, table))
	}
	if err != nil {
		return fmt.Errorf("make view %s show %s: %w", view, table, err)
	}
	return nil
}

// Views returns all views outside the schemas of a projection's versions that show a table in one of these schemas.
func Views(ctx context.Context, q Querier, name string) ([]View, error) {
	schemas, err := schemasOf(ctx, q, name)
	if err != nil {
		return nil, fmt.Errorf("read the versions of projection %s: %w", name, err)
	}
	rows, err := q.Query(ctx, `
		SELECT DISTINCT here.nspname, v.relname, there.nspname
		FROM pg_depend d
		JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
		JOIN pg_class v ON v.oid = r.ev_class
		JOIN pg_namespace here ON here.oid = v.relnamespace
		JOIN pg_class t ON d.refclassid = 'pg_class'::regclass AND t.oid = d.refobjid
		JOIN pg_namespace there ON there.oid = t.relnamespace
		WHERE here.oid <> there.oid AND there.nspname = ANY ($1)
		ORDER BY 1, 2, 3`, schemas)
	if err != nil {
		return nil, fmt.Errorf("read which views show tables of projection %s: %w", name, err)
	}
	views, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (View, error) {
		var v View
		return v, row.Scan(&v.schema, &v.name, &v.Shows)
	})
	if err != nil {
		return nil, fmt.Errorf("read which views show tables of projection %s: %w", name, err)
	}
	return views, nil
}

// schemasOf returns the schemas of all versions of a projection, scratch versions included.
func schemasOf(ctx context.Context, q Querier, name string) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT name, version FROM strata.projection WHERE name = $1`, name)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		v, err := pgx.RowToStructByPos[projections.Schema](row)
		return v.String(), err
	})
}

// TryViews makes the views show spec, if it is the active version and readers of the views don't block it for long. A
// switch does not depend on it: SQL users see the new tables a moment later.
func TryViews(ctx context.Context, pool *pgxpool.Pool, spec projections.Spec) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '`+viewTimeout+`'`); err != nil {
			return err
		}
		var active int
		err := tx.QueryRow(ctx, `SELECT version FROM strata.active WHERE name = $1 FOR NO KEY UPDATE`, spec.Name).Scan(&active)
		if err != nil || active != spec.Version {
			return err
		}
		return showViews(ctx, tx, spec)
	})
}
