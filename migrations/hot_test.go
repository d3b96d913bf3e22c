package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

// TestHotRows updates the rows that are updated with each event: Postgres writes the new row beside the old one, without a new
// entry in an index, and the tables don't grow.
func TestHotRows(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	must.Do(t, migrations.Up(t.Context(), url))
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	defer func() { _ = conn.Close(t.Context()) }()
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(`INSERT INTO strata.projection (name, version, input) SELECT 'p' || n, 1, 'log' FROM generate_series(1, 16) n`)
	const updates = 500
	frontier := make([]byte, 20*32)
	for i := range updates {
		var moved *int64
		if err := conn.QueryRow(t.Context(), `SELECT log.head_advance($1, $2, $3)`, i, i+1, frontier).Scan(&moved); err != nil || moved == nil || *moved != int64(i+1) {
			t.Fatalf("move the head to %d: got %v, %v", i+1, moved, err)
		}
		exec(`UPDATE strata.projection SET position = position + 1, log_seq = log_seq + 1, index_block_hash = sha256(position::text::bytea), updated_at = now()`)
	}
	var moved *int64
	if err := conn.QueryRow(t.Context(), `SELECT log.head_advance(7, 8, $1)`, frontier).Scan(&moved); err != nil || moved != nil {
		t.Errorf("from another size: got %v, %v, want null", moved, err)
	}
	for table, want := range map[string]int64{"head": updates, "projection": 16 * updates} {
		var all, hot, scans, bytes int64
		eventually.Holds(t, "the statistics have the updates", func() bool {
			err := conn.QueryRow(t.Context(), `SELECT n_tup_upd, n_tup_hot_upd, seq_scan, pg_relation_size(relid) FROM pg_stat_user_tables WHERE schemaname IN ('log', 'strata') AND relname = $1`, table).
				Scan(&all, &hot, &scans, &bytes)
			if err != nil {
				t.Fatal(err)
			}
			return all >= want
		})
		t.Logf("fault: rows that each event updates, in %s: %d of %d updates were HOT; the table has %d bytes", table, hot, all, bytes)
		if table == "head" && scans > updates/10 {
			t.Errorf("the head was looked for in the whole table %d times in %d updates", scans, updates)
		}
		if hot*4 < all*3 { // the snapshot of an autovacuum keeps some from it
			t.Errorf("%s: only %d of %d updates were HOT", table, hot, all)
		}
	}
}
