package register

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
	"strata/projections/internal/register/internal/comment"
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

// apiObject finds the kind and the name in a statement of Spec.API.
var apiObject = regexp.MustCompile(`^CREATE (VIEW|FUNCTION) api\.(\w+)`)

// definition is the SQL of a view in the schema api, or of a function that shows an earlier state.
type definition struct {
	kind, name string
	rest       string // of the SQL, behind the name
}

// definitions returns the views and functions that show the tables of spec.
func definitions(spec projections.Spec) (all []definition, err error) {
	for _, entry := range spec.Views {
		name, table := parseView(entry)
		all = append(all, definition{"VIEW", name, ` AS SELECT * FROM ` + spec.Table(table)})
	}
	for _, statement := range splitStatements(spec.SQL(spec.API)) {
		m := apiObject.FindStringSubmatch(statement)
		if m == nil {
			return nil, fmt.Errorf("projection %s: the statement of its views does not begin with CREATE VIEW api.name or CREATE FUNCTION api.name: %s", spec, statement)
		}
		all = append(all, definition{m[1], m[2], strings.TrimPrefix(statement, m[0])})
	}
	return all, nil
}

// showViews makes the views in the schema api show the tables of spec. It drops views that show tables of other
// versions and that spec does not have.
func showViews(ctx context.Context, tx pgx.Tx, spec projections.Spec) error {
	all, err := definitions(spec)
	if err != nil {
		return err
	}
	for _, d := range all {
		if err := d.show(ctx, tx); err != nil {
			return err
		}
	}
	views, err := Views(ctx, tx, spec.Name)
	if err != nil {
		return err
	}
	for _, v := range views {
		if v.schema == "api" && !slices.ContainsFunc(all, func(d definition) bool { return d.name == v.name }) {
			if _, err := tx.Exec(ctx, `DROP VIEW `+v.String()); err != nil {
				return fmt.Errorf("drop view %s, which the new version does not have: %w", v, err)
			}
		}
	}
	if err := letReadersIn(ctx, tx, "api"); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE strata.active SET viewed = $2 WHERE name = $1 AND version = $2`, spec.Name, spec.Version)
	return err
}

// show makes the view or the function. One that Postgres can't give other columns is dropped and made anew.
func (d definition) show(ctx context.Context, tx pgx.Tx) error {
	object := d.kind + ` ` + pgx.Identifier{"api", d.name}.Sanitize()
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `CREATE OR REPLACE `+object+d.rest)
		return err
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == "42P16" || refused.Code == "42P13") { // invalid_table_definition, invalid_function_definition
		_, err = tx.Exec(ctx, `DROP `+object+`; CREATE `+object+d.rest)
	}
	if err != nil {
		return fmt.Errorf("make %s: %w", object, err)
	}
	return nil
}

// ShowsViewsOf reports whether the views in schema api show the version and are those that the code of its projection has.
func (e Entry) ShowsViewsOf(spec projections.Spec) bool {
	return e.Viewed && e.Views == viewsMark(spec.At(e.Version))
}

// viewsMark tells what views are made from.
func viewsMark(spec projections.Spec) string {
	views := strings.Join(spec.Views, " ")
	return fmt.Sprintf("%d:%s", spec.Version, digest(views+spec.API+spec.Tables, func() string {
		return views + spec.API + comment.Statements(viewComments(spec))
	}))
}

// viewComments returns the comments on the views and their columns. A view that shows a table as it is has the table's.
func viewComments(spec projections.Spec) (all []comment.Comment) {
	tables := comment.Parse(spec.Tables)
	for _, entry := range spec.Views {
		name, table := parseView(entry)
		for _, c := range tables {
			object := "{schema}." + table
			switch {
			case c.Object == object:
				all = append(all, comment.Comment{Kind: "VIEW", Object: "api." + name, Text: c.Text})
			case strings.HasPrefix(c.Object, object+"."):
				all = append(all, comment.Comment{Kind: c.Kind, Object: "api." + name + strings.TrimPrefix(c.Object, object), Text: c.Text})
			}
		}
	}
	return append(all, comment.Parse(spec.API)...)
}

// describeViews makes Postgres keep the comments on the views, and notes what these were made from.
func describeViews(ctx context.Context, tx pgx.Tx, spec projections.Spec) error {
	if _, err := tx.Exec(ctx, comment.Statements(viewComments(spec))); err != nil {
		return fmt.Errorf("comment on the views of projection %s: %w", spec, err)
	}
	_, err := tx.Exec(ctx, `UPDATE strata.active SET views = $3 WHERE name = $1 AND version = $2`, spec.Name, spec.Version, viewsMark(spec))
	return err
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

// SwitchViews makes the views show versions in the transaction that makes these active, all of them or none. If somebody reads
// a view for long, that is left to TryViews: a switch waits for no reader.
func SwitchViews(ctx context.Context, tx pgx.Tx, specs []projections.Spec) error {
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '`+viewTimeout+`'`); err != nil {
			return err
		}
		for _, spec := range specs {
			if err := showViews(ctx, tx, spec); err != nil {
				return err
			}
		}
		return nil
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) { // the savepoint is undone, and the transaction goes on
		return nil
	}
	return err
}

// TryViews makes the views show spec, if it is the active version and readers of the views don't block it for long, and
// comments on them. A switch does not depend on it: SQL users see the new tables a moment later.
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
		if err := showViews(ctx, tx, spec); err != nil {
			return err
		}
		return describeViews(ctx, tx, spec)
	})
}
