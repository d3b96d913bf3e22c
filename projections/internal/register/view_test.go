package register_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/projections"
	"strata/projections/internal/register"
)

// toy is a projection with a view of each kind.
var toy = projections.Spec{
	Schema: projections.Schema{Name: "toy", Version: 1},
	Tables: "-- Rows.\nCREATE TABLE {schema}.row (\n    n bigint NOT NULL -- its number\n);\n",
	Views:  []string{"toy_row:row"},
	API: "-- Toys.\nCREATE VIEW api.toys AS\nSELECT\n    r.n -- its number\nFROM {schema}.row r;\n\n" +
		"-- Earlier toys.\nCREATE FUNCTION api.toys_at(at_height bigint) RETURNS TABLE (n bigint) LANGUAGE sql STABLE AS $$\n" +
		"    SELECT r.n FROM {schema}.row r WHERE r.n <= at_height\n$$;\n",
}

// newToys makes two versions, of which the first is active; each has one row with its number.
func newToys(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool := pgtest.Template("register", migrations.Up).NewFresh(t)
	for number := 1; number <= 2; number++ {
		v := toy.At(number)
		must.Do(t, register.Change(t.Context(), pool, func(tx pgx.Tx, _ register.Entries) error {
			err := register.Create(t.Context(), tx, []register.NewVersion{{Schema: v.Schema, Definition: projections.Definition{Spec: toy}, Input: register.Log, Active: number == 1}})
			if err != nil {
				return err
			}
			_, err = tx.Exec(t.Context(), v.SQL(`INSERT INTO {schema}.row VALUES ($1)`), number)
			return err
		}))
	}
	return pool
}

func check(t *testing.T, q register.Querier, what, query, want string) {
	t.Helper()
	var got string
	if err := q.QueryRow(t.Context(), query).Scan(&got); err != nil || got != want {
		t.Errorf("%s: got %q, %v, want %q", what, got, err, want)
	}
}

const shown = `SELECT concat_ws(' ', (SELECT n FROM api.toy_row), (SELECT n FROM api.toys), (SELECT n FROM api.toys_at(9)))`

// entry returns the active version.
func entry(t *testing.T, pool *pgxpool.Pool) register.Entry {
	t.Helper()
	es := must.Get(register.Read(t.Context(), pool))(t)
	e, _ := es.Active("toy")
	return e
}

// Views change with the switch, and are as they were if it fails. It waits for no reader: then they follow.
func TestSwitchViews(t *testing.T) {
	t.Parallel()
	pool := newToys(t)
	check(t, pool, "the first version", shown, "1 1 1")
	check(t, pool, "comments", `SELECT concat_ws(', ', obj_description('api.toys'::regclass), col_description('api.toy_row'::regclass, 1), obj_description('api.toys_at'::regproc))`,
		"Toys., its number, Earlier toys.")
	undone := errors.New("undone")
	switchTo2 := func(finally error) error {
		return register.Change(t.Context(), pool, func(tx pgx.Tx, _ register.Entries) error {
			if _, err := tx.Exec(t.Context(), `UPDATE strata.active SET version = 2`); err != nil {
				return err
			}
			if err := register.SwitchViews(t.Context(), tx, []projections.Spec{toy.At(2)}); err != nil {
				return err
			}
			if finally != nil {
				check(t, tx, "within the switch", shown, "2 2 2")
			}
			return finally
		})
	}
	if err := switchTo2(undone); !errors.Is(err, undone) {
		t.Fatal(err)
	}
	check(t, pool, "after a switch that failed", shown, "1 1 1")

	reader := must.Get(pool.Begin(t.Context()))(t)
	defer func() { _ = reader.Rollback(t.Context()) }()
	check(t, reader, "a reader", `SELECT n::text FROM api.toys`, "1")
	if err := switchTo2(nil); err != nil {
		t.Fatalf("with a reader: %v", err)
	}
	check(t, pool, "while somebody reads", shown, "1 1 1")
	if e := entry(t, pool); e.Version != 2 || e.Viewed {
		t.Errorf("got %+v, want version 2, which the views do not show", e)
	}
	must.Do(t, reader.Rollback(t.Context()))
	must.Do(t, register.TryViews(t.Context(), pool, toy.At(2)))
	check(t, pool, "afterwards", shown, "2 2 2")
	if e := entry(t, pool); !e.ShowsViewsOf(toy) {
		t.Errorf("got %+v, want one that the views show", e)
	}
	must.Do(t, register.Change(t.Context(), pool, func(tx pgx.Tx, _ register.Entries) error { return register.Remove(t.Context(), tx, toy.Schema) }))
	check(t, pool, "without the first version", shown, "2 2 2")
}

// A program with other views or comments changes those of versions that are there.
func TestChangedViewsAndComments(t *testing.T) {
	t.Parallel()
	pool := newToys(t)
	next := toy
	next.Tables = strings.ReplaceAll(toy.Tables, "its number", "the number")
	next.API = strings.Replace(toy.API, "    r.n -- its number\n", "    r.n::text AS name, -- its name\n    r.n -- its number\n", 1)
	e := entry(t, pool)
	if !e.ShowsViewsOf(toy) || e.ShowsViewsOf(next) || !e.IsDescribed(toy) || e.IsDescribed(next) {
		t.Errorf("%+v does not tell one from the other", e)
	}
	for _, v := range []projections.Schema{e.Schema, toy.At(2).Schema} {
		must.Do(t, register.Describe(t.Context(), pool, v, next))
		check(t, pool, "the new comment", `SELECT col_description('`+v.String()+`.row'::regclass, 1)`, "the number")
	}
	must.Do(t, register.TryViews(t.Context(), pool, next))
	check(t, pool, "the new view", `SELECT name || ' ' || n || ' ' || col_description('api.toys'::regclass, 1) FROM api.toys`, "1 1 its name")
	check(t, pool, "the comment on the schema", `SELECT left(obj_description('toy_v1'::regnamespace), 64)`, "Read tables of projection toy, version 1, built by rules 1 from ")
	if e := entry(t, pool); !e.ShowsViewsOf(next) || !e.IsDescribed(next) {
		t.Errorf("%+v is not up to date", e)
	}
}
