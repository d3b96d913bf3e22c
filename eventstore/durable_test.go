package eventstore_test

import (
	"crypto/rand"
	"testing"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

// An acknowledged event is on disk, also where somebody has turned synchronous commits off for the database.
func TestAppendsWaitForTheDisk(t *testing.T) {
	t.Parallel()
	server := pgtest.Dedicated(t)
	must.Do(t, migrations.Up(t.Context(), server.URL()))
	admin := server.New(t)
	for _, setting := range []string{`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`} {
		must.Get(admin.Exec(t.Context(), setting))(t)
	}
	pool := server.New(t)
	var got string
	if err := pool.QueryRow(t.Context(), `SHOW synchronous_commit`).Scan(&got); err != nil || got != "off" {
		t.Fatalf("got synchronous_commit %s, %v", got, err)
	}
	log := openLog(t, pool, eventstore.Config{})
	body := func() eventstore.Incoming {
		bytes := make([]byte, 3000)
		_, _ = rand.Read(bytes)
		return incoming("/x", bytes)
	}
	for name, write := range map[string]func(){
		"one event": func() { mustAppend(t, log, body()) },
		"a batch":   func() { mustAppendBatch(t, log, body(), body()) },
	} {
		lost := 0
		const attempts = 20
		for range attempts { // the server writes by itself five times a second
			var before, flushed int64
			query := `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint`
			var unused int64
			must.Do(t, admin.QueryRow(t.Context(), query).Scan(&before, &unused))
			write()
			must.Do(t, admin.QueryRow(t.Context(), query).Scan(&unused, &flushed))
			if flushed < before+3000 {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%s: acknowledged %d of %d times before it was on disk", name, lost, attempts)
		}
		t.Logf("fault: a database with synchronous_commit off; %s: of %d, acknowledged before it was on disk %d", name, attempts, lost)
	}
}
