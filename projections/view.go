package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// viewTimeout is how long views wait for their readers to end. Meanwhile others queue behind.
const viewTimeout = `250ms`

// viewOf takes an entry of Spec.Views apart: "view:table", or the one name of both.
func viewOf(entry string) (view, table string) {
	if view, table, ok := strings.Cut(entry, ":"); ok {
		return view, table
	}
	return entry, entry
}

// showViews makes the views show the tables of spec, and takes away those that showed others of its projection and are none
// of its own.
func showViews(ctx context.Context, tx pgx.Tx, spec Spec) error {
	var own []string
	for _, entry := range spec.Views {
		name, table := viewOf(entry)
		own = append(own, name)
		if err := showView(ctx, tx, pgx.Identifier{"api", name}.Sanitize(), spec.instance().table(table)); err != nil {
			return err
		}
	}
	shown, err := viewsOf(ctx, tx, spec.Name)
	if err != nil {
		return err
	}
	for _, v := range shown {
		if v.schema == "api" && !slices.Contains(own, v.name) {
			if _, err := tx.Exec(ctx, `DROP VIEW `+v.String()); err != nil {
				return fmt.Errorf("drop view %s, which the new version does not have: %w", v, err)
			}
		}
	}
	_, err = tx.Exec(ctx, `UPDATE strata.active SET viewed = $2 WHERE name = $1 AND version = $2`, spec.Name, spec.Version)
	return err
}

// showView makes a view show a table. Where a view can't be given other columns it is made anew.
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

// view is one that shows a table of a projection.
type view struct{ schema, name, shows string }

func (v view) String() string { return pgx.Identifier{v.schema, v.name}.Sanitize() }

// viewsOf are all views outside of the schemas of a projection that show a table in one of these.
func viewsOf(ctx context.Context, q querier, name string) ([]view, error) {
	rows, err := q.Query(ctx, `
		SELECT DISTINCT here.nspname, v.relname, there.nspname
		FROM pg_depend d
		JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
		JOIN pg_class v ON v.oid = r.ev_class
		JOIN pg_namespace here ON here.oid = v.relnamespace
		JOIN pg_class t ON d.refclassid = 'pg_class'::regclass AND t.oid = d.refobjid
		JOIN pg_namespace there ON there.oid = t.relnamespace
		WHERE here.oid <> there.oid AND there.nspname IN (SELECT name || '_v' || version FROM strata.projection WHERE name = $1)
		ORDER BY 1, 2, 3`, name)
	if err != nil {
		return nil, fmt.Errorf("read which views show tables of projection %s: %w", name, err)
	}
	views, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (view, error) {
		var v view
		return v, row.Scan(&v.schema, &v.name, &v.shows)
	})
	if err != nil {
		return nil, fmt.Errorf("read which views show tables of projection %s: %w", name, err)
	}
	return views, nil
}

// tryViews makes the views show an active version, unless their readers keep it waiting. It takes no part in a switch:
// people with a SQL prompt see the new tables a moment later.
func tryViews(ctx context.Context, pool *pgxpool.Pool, spec Spec) error {
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
