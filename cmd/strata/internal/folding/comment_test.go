package folding_test

import (
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/cmd/strata/internal/folding"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/projections/version"
)

// SQL users read beside each table, view and column what it means.
func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	lines := must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
	pool := pgtest.Template("described", migrations.Up).NewFresh(t)
	must.Get(version.Register(t.Context(), pool, lines, false, nil))(t)
	rows := must.Get(pool.Query(t.Context(), `
		SELECT n.nspname || '.' || c.relname || coalesce('.' || a.attname, ''), col_description(c.oid, coalesce(a.attnum, 0)) IS NOT NULL
		FROM pg_namespace n
		JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'v')
		CROSS JOIN LATERAL (SELECT attname, attnum FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 UNION ALL SELECT NULL, NULL) a
		WHERE n.nspname = 'api' OR n.nspname ~ '_v\d+$'
		ORDER BY 1`))(t)
	seen := 0
	var name string
	var described bool
	must.Get(pgx.ForEachRow(rows, []any{&name, &described}, func() error {
		if seen++; !described {
			t.Errorf("%s has no comment", name)
		}
		return nil
	}))(t)
	if seen < 2000 {
		t.Errorf("%d tables, views and columns were looked at, fewer than there were when this test was written", seen)
	}
}
