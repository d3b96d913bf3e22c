package main

import (
	"testing"
	"time"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
)

// A server that has nothing to do leaves the database alone: notifications wake it, and what it looks up all the same are
// few transactions, over few connections. Postgres counts those of a connection up to ten seconds late.
func TestIdle(t *testing.T) {
	short.Skip(t, "it waits for a minute")
	t.Parallel()
	const (
		watch, late, settle     = 15, 10, 90 // seconds; connections are kept for up to 45
		transactions, connected = 5, 15      // a second, and at a time
	)
	dir, url := t.TempDir(), pgtest.Dedicated(t).URL()
	s := startServer(t, dir, "--database-url", url)
	chain := synthchain.New((&simulate.Command{Seed: 5, Calm: true}).Config())
	for range 30 {
		p := chain.Next()
		s.mustPost(p.Path, p.Body)
	}
	s.caughtUp(30)
	conn := pgtest.Connect(t, url)
	var counts []int64 // of transactions, at each second
	for second := time.NewTicker(time.Second); ; <-second.C {
		var all, open int64
		must.Do(t, conn.QueryRow(t.Context(), `
			SELECT xact_commit + xact_rollback, (SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend')
			FROM pg_stat_database WHERE datname = current_database()`).Scan(&all, &open))
		if counts = append(counts, all-int64(len(counts))); len(counts) <= watch { // without this connection's own
			continue
		}
		counted := counts[len(counts)-1] - counts[len(counts)-1-watch] // with those of a connection from before, which Postgres counts late
		const most = transactions * (watch + late)
		if counted <= most && open <= connected {
			t.Logf("after %d s: %.1f transactions a second, %d connections", len(counts), float64(counted)/watch, open)
			return
		}
		if len(counts) > settle {
			t.Fatalf("an idle server makes %d transactions in %d s over %d connections, want at most %d and %d", counted, watch, open, most, connected)
		}
	}
}
