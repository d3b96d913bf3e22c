package migrations_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/postgres"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

// program returns the path of a program of the server's version; it skips the test where there is none.
func program(t *testing.T, pool *pgxpool.Pool, name string) string {
	t.Helper()
	var version int
	must.Do(t, pool.QueryRow(t.Context(), `SELECT current_setting('server_version_num')::int / 10000`).Scan(&version))
	if path := filepath.Join(os.Getenv(postgres.BinEnv), name); filepath.IsAbs(path) && isFile(path) {
		return path
	}
	if path := filepath.Join("/usr/lib/postgresql", fmt.Sprint(version), "bin", name); isFile(path) {
		return path
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s: %v", name, err)
	}
	return path
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func open(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool := must.Get(pgxpool.New(t.Context(), url))(t)
	t.Cleanup(pool.Close)
	return pool
}

// TestRestoredLog backs the schema log up while events arrive, restores it into an empty database, and goes on there.
func TestRestoredLog(t *testing.T) {
	t.Parallel()
	from := pgtest.URL(t)
	must.Do(t, migrations.Up(t.Context(), from))
	source := open(t, from)
	dump, restore := program(t, source, "pg_dump"), program(t, source, "psql")
	log := eventstore.Open(source, eventstore.Config{PartitionEvents: 10})
	t.Cleanup(log.Close)
	appendTo := func(log *eventstore.Log, body string) int64 {
		t.Helper()
		seq := must.Get(log.Append(t.Context(), eventstore.Incoming{ReceivedAt: time.Now(), Source: "test", Path: "/x", ContentType: "application/json", Body: eventstore.NewBody([]byte(body))}))(t)
		return seq
	}
	for i := range 35 { // several partitions
		appendTo(log, fmt.Sprintf(`{"n":%d}`, i%20))
	}
	_, err := log.Append(t.Context(), eventstore.Incoming{
		ReceivedAt: time.Now(), Source: "command", Path: "strata:skip",
		Body: eventstore.NewBody([]byte(`{"projection":"pox","version":5,"rules":2,"seq":7,"position":3,"reason":"a bug","error":"no"}`)),
	})
	if err != nil {
		t.Fatal(err)
	}
	must.Get(source.Exec(t.Context(), `INSERT INTO log.difference (account, what, table_value, node_value, height, accepted_difference, reason, accepted_at) VALUES ('SP1', 'nonce', 1, 2, 3, 1, 'known', now())`))(t)
	busy, quiet := context.WithCancel(t.Context())
	arrived := make(chan struct{})
	go func() {
		defer close(arrived)
		for i := 0; busy.Err() == nil; i++ {
			_, _ = log.Append(busy, eventstore.Incoming{ReceivedAt: time.Now(), Source: "test", Path: "/y", Body: eventstore.NewBody(fmt.Append(nil, i))})
		}
	}()
	var text, said bytes.Buffer
	backup := exec.CommandContext(t.Context(), dump, "--schema", "log", "--no-owner", "--dbname", from)
	backup.Stdout, backup.Stderr = &text, &said
	err = backup.Run()
	quiet()
	<-arrived
	if err != nil {
		t.Fatalf("pg_dump: %v: %s", err, said.String())
	}

	to := pgtest.Fresh(t)
	said.Reset()
	load := exec.CommandContext(t.Context(), restore, "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", to)
	load.Stdin, load.Stdout, load.Stderr = &text, &said, &said
	if err := load.Run(); err != nil {
		t.Fatalf("psql: %v: %s", err, said.String())
	}
	for range 2 { // also a database that was adopted before
		must.Do(t, migrations.Up(t.Context(), to))
	}
	target := open(t, to)
	restored := eventstore.Open(target, eventstore.Config{PartitionEvents: 10})
	t.Cleanup(restored.Close)
	size, root, err := restored.Checkpoint(t.Context())
	if err != nil || size < 35 {
		t.Fatalf("restored %d events, %v", size, err)
	}
	check := func(what, query string) {
		t.Helper()
		var got, want string
		if err := target.QueryRow(t.Context(), query, size).Scan(&got); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err := source.QueryRow(t.Context(), query, size).Scan(&want); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	check("identity", `SELECT a.id::text FROM strata.archive a WHERE $1::bigint > 0`)
	check("events", `SELECT md5(string_agg(seq || path || encode(sha256, 'hex') || coalesce(encode(body, 'hex'), ''), ',' ORDER BY seq)) FROM log.event WHERE seq <= $1::bigint`)
	check("what differs from a node", `SELECT d::text FROM log.difference d WHERE $1::bigint > 0`)
	var skipped string
	if err := target.QueryRow(t.Context(), `SELECT concat_ws(' ', name, rules, seq, reason, command_seq) FROM strata.skip`).Scan(&skipped); err != nil || skipped != "pox 2 7 a bug 36" {
		t.Errorf("got the skip %q, %v", skipped, err)
	}
	if seq := appendTo(restored, `{"n":1}`); seq != size+1 {
		t.Errorf("the next event is %d, want %d", seq, size+1)
	}
	for i := range 25 { // into partitions that the backup does not have
		appendTo(restored, fmt.Sprintf(`{"new":%d}`, i))
	}
	if len(root) != 32 {
		t.Errorf("got the root %x", root)
	}
	t.Logf("fault: a lost database; a dump of %d events, taken while they arrived, of several partitions; 26 more after it", size)
}
