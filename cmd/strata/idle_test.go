package main

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/pgtest"
)

// A server that has nothing to do leaves the database alone: notifications wake it, and what it looks up all the same are
// few transactions, over few connections. Postgres counts those of a connection up to ten seconds late.
func TestIdle(t *testing.T) {
	skipIfShort(t, "it waits for a minute")
	t.Parallel()
	const (
		settle, watch, late     = 50 * time.Second, 15 * time.Second, 10 * time.Second // connections are kept for up to 45 s
		transactions, connected = 5, 15                                                // a second, and at a time
	)
	dir, url := t.TempDir(), pgtest.Dedicated(t).URL()
	s := startServer(t, dir, "--database-url", url)
	chain := synthchain.New((&simulate.Command{Seed: 5, Calm: true}).Config())
	for range 30 {
		p := chain.Next()
		s.mustPost(p.Path, p.Body)
	}
	s.caughtUp(30)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	count := func(sql string) (n int64) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const committed = `SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()`
	time.Sleep(settle)
	before := count(committed)
	time.Sleep(watch)
	counted := float64(count(committed) - before) // with those of a connection from before, which Postgres counts late
	each := counted / watch.Seconds()
	open := count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`)
	t.Logf("%.1f transactions a second, %d connections", each, open)
	if most := transactions * (watch + late).Seconds(); counted > most || open > connected {
		t.Errorf("an idle server makes %.0f transactions in %s over %d connections, want at most %.0f and %d", counted, watch, open, most, connected)
	}
}
