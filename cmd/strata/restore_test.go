package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
)

// clientProgram returns the path of a program of the server's version; it skips the test where there is none.
func clientProgram(t *testing.T, pool *pgxpool.Pool, name string) string {
	t.Helper()
	dir := pgtest.Value[string](t, pool, `SELECT setting FROM pg_catalog.pg_config() WHERE name = 'BINDIR'`)
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s: %v", name, err)
	}
	return path
}

// TestRestore loses a database. A dump of the schema log, which was taken from a replica while events arrived, the key, and
// the node bring everything back: the same log with the same signatures, and all read tables.
func TestRestore(t *testing.T) {
	short.Skip(t, "restores backups")
	t.Parallel()
	const posts = 160
	primary := pgtest.Dedicated(t)
	dir := t.TempDir()
	lost := startServer(t, dir, "--database-url", primary.URL())
	lost.mustPost("/attachments/new", []byte(`["first"]`))
	lost.caughtUp(1)
	replica := primary.Replica(t)
	reading := must.Get(pgxpool.New(t.Context(), replica.AdminURL()))(t)
	t.Cleanup(reading.Close)
	dump, restore := clientProgram(t, reading, "pg_dump"), clientProgram(t, reading, "psql")
	node := start(t, command(t, t.TempDir(), nil, "simulate", "--observer", lost.observer, "--count", fmt.Sprint(posts), "--seed", "41", "--rate", "60"))
	eventually.Holds(t, "events arrive", func() bool { return lost.status().Strata.LogSize > 20 })
	var backup bytes.Buffer
	taking := exec.CommandContext(t.Context(), dump, "--schema", "log", "--no-owner", "--dbname", replica.URL())
	var said strings.Builder
	taking.Stdout, taking.Stderr = &backup, &said
	if err := taking.Run(); err != nil {
		t.Fatalf("pg_dump: %v: %s", err, said.String())
	}
	<-node.Ended()
	lost.caughtUp(1 + posts)
	size := lost.status().Strata.LogSize
	key := string(lost.get("/audit/v1/log/key").Body)
	origin := firstLine(lost)
	lost.stop()

	began := time.Now()
	url := pgtest.Fresh(t)
	loading := exec.CommandContext(t.Context(), restore, "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", url)
	said.Reset()
	loading.Stdin, loading.Stdout, loading.Stderr = &backup, &said, &said
	if err := loading.Run(); err != nil {
		t.Fatalf("psql: %v: %s", err, said.String())
	}
	elsewhere := t.TempDir()
	keys, err := filepath.Glob(filepath.Join(dir, ".strata", "log-*.key"))
	if err != nil || len(keys) != 1 {
		t.Fatalf("got the keys %v, %v", keys, err)
	}
	text := must.Get(os.ReadFile(keys[0]))(t)
	must.Do(t, os.Mkdir(filepath.Join(elsewhere, ".strata"), 0o700))
	writeFile(t, filepath.Join(elsewhere, ".strata", filepath.Base(keys[0])), string(text))
	s := startServer(t, elsewhere, "--database-url", url)
	s.caughtUp(1)
	restored := s.status().Strata.LogSize
	took := time.Since(began)
	if restored < 20 || restored > size {
		t.Errorf("restored %d events, of %d", restored, size)
	}
	mustRun(t, elsewhere, "verify", "--database-url", url)
	mustRun(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", fmt.Sprint(posts), "--seed", "41") // the node delivers what is missing
	s.caughtUp(restored + posts)
	s.checkState(expected(simulate.Command{Seed: 41, Forks: 0.05}, posts))
	eventually.Holds(t, "the log is signed", func() bool {
		return strings.Contains(string(s.get("/audit/v1/log/checkpoint").Body), fmt.Sprintf("\n%d\n", restored+posts))
	})
	if got := firstLine(s); got != origin || string(s.get("/audit/v1/log/key").Body) != key {
		t.Errorf("the log is %s with another key, or was %s", got, origin)
	}
	mustRun(t, elsewhere, "verify", "--database-url", url)
	if t.Failed() {
		return
	}
	t.Logf("fault: a lost database; a dump of %d events of a log with %d, taken from a replica while they arrived; restored, folded and served after %s; the node delivered %d; lost 0",
		restored, size, took.Round(time.Millisecond), posts)
}

// firstLine returns the origin in the newest checkpoint of a server.
func firstLine(s *server) string {
	s.t.Helper()
	var line string
	eventually.Holds(s.t, "the log is signed", func() bool {
		got := s.get("/audit/v1/log/checkpoint")
		line, _, _ = strings.Cut(string(got.Body), "\n")
		return got.Status == 200
	})
	return line
}
