package apitest

import (
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/readapi"
)

// ScansNothing expects that no answer scans a table of the given schemas, with generic plans, too. It leaves out small tables.
func (s *Site) ScansNothing(t *testing.T, schemas, small []string, paths ...string) {
	t.Helper()
	scans := func() map[string]int64 {
		// What a session did is reported when it ends.
		s.Pool.Reset()
		WaitForSessions(t, s.Pool)
		counts, table, count := map[string]int64{}, "", int64(0)
		rows := must.Get(s.Pool.Query(t.Context(), `SELECT schemaname || '.' || relname, seq_scan FROM pg_catalog.pg_stat_user_tables WHERE schemaname = ANY ($1)`, schemas))(t)
		must.Get(pgx.ForEachRow(rows, []any{&table, &count}, func() error {
			counts[table] = count
			return nil
		}))(t)
		return counts
	}
	before := scans()
	config := must.Get(pgxpool.ParseConfig(s.Pool.Config().ConnString()))(t)
	config.MaxConns = 1
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	reader := NewSiteOn(t, pool, readapi.Config{})
	for range 8 { // the server chooses a generic plan from the sixth time on
		for _, path := range paths {
			if got := reader.Get(path); got.Status != http.StatusOK && path != "/readyz" {
				t.Fatalf("%s: got %d %s", path, got.Status, got.Body)
			}
		}
	}
	pool.Close()
	for table, count := range scans() {
		if count > before[table] && !slices.Contains(small, table) {
			t.Errorf("%s was scanned %d times", table, count-before[table])
		}
	}
}
