package pgtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/pgtest"
)

func TestReplica(t *testing.T) {
	t.Parallel()
	primary := pgtest.Dedicated(t)
	pool := primary.New(t)
	write := func(sql string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	write("CREATE SCHEMA log; CREATE TABLE log.event (seq bigint); INSERT INTO log.event VALUES (1)")
	replica := primary.Replica(t)
	reader := replica.New(t)
	rows := func(pool *pgxpool.Pool) string {
		t.Helper()
		return queryString(t, pool, "SELECT count(*)::text FROM log.event")
	}
	for _, tc := range []struct{ sql, want string }{
		{"SELECT pg_is_in_recovery()::text", "true"},
		{"SELECT current_user::text", "strata"},
		{"SELECT count(*)::text FROM log.event", "1"},
	} {
		if got := queryString(t, reader, tc.sql); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.sql, got, tc.want)
		}
	}
	if _, err := reader.Exec(t.Context(), "INSERT INTO log.event VALUES (0)"); err == nil {
		t.Error("the replica accepted a write")
	}
	if got := connectString(t, primary.AdminURL(), "SELECT string_agg(state, ',') FROM pg_stat_replication"); got != "streaming" {
		t.Errorf("states of the primary's replicas: got %q, want one that is streaming", got)
	}

	replica.Pause(t)
	write("INSERT INTO log.event VALUES (2)")
	// The replica receives the row, but does not show it.
	eventually.Holds(t, "the paused replica receives it", func() bool {
		return queryString(t, reader, "SELECT (pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn())::text") == "true"
	})
	if got := rows(reader); got != "1" {
		t.Errorf("paused: got %s rows, want the 1 from before", got)
	}
	replica.Resume(t)
	replica.CatchUp(t)
	if got := rows(reader); got != "2" {
		t.Errorf("resumed: got %s rows, want 2", got)
	}

	// A commit with synchronous_commit = off arrives as well.
	write("BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO log.event VALUES (3); COMMIT")
	replica.CatchUp(t)
	if got := rows(reader); got != "3" {
		t.Errorf("after an asynchronous commit: got %s rows, want 3", got)
	}

	url := replica.URL()
	replica.Stop(t)
	write("INSERT INTO log.event VALUES (4)")
	replica.Start(t)
	replica.CatchUp(t)
	reader.Reset()
	if got := rows(reader); got != "4" || replica.URL() != url {
		t.Errorf("after a restart: got %s rows at %s, want 4 at %s", got, replica.URL(), url)
	}
}
