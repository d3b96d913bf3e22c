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
	if got := pgtest.Value[string](t, pool, `SHOW synchronous_commit`); got != "off" {
		t.Fatalf("got synchronous_commit %s", got)
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
			before := pgtest.Value[int64](t, admin, `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint`)
			write()
			if flushed := pgtest.Value[int64](t, admin, `SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint`); flushed < before+3000 {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%s: acknowledged %d of %d times before it was on disk", name, lost, attempts)
		}
		t.Logf("fault: a database with synchronous_commit off; %s: of %d, acknowledged before it was on disk %d", name, attempts, lost)
	}
}
