package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/postgres"
	"strata/internal/testkit/pgtest"
)

// archiveID is the identity of the database, which answers and cursors carry.
func archiveID(t testing.TB, dir string) (id, size string) {
	t.Helper()
	c, err := postgres.Start(t.Context(), postgres.Config{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	conn, err := pgx.Connect(t.Context(), c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if err := conn.QueryRow(t.Context(), `SELECT id::text, (SELECT size::text FROM log.head) FROM strata.archive`).Scan(&id, &size); err != nil {
		t.Fatal(err)
	}
	return id, size
}

// The log survives an upgrade of its private Postgres, and goes on. pg_upgrade permits the version that the cluster has, so one
// installed version is enough.
func TestUpgradePostgres(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	if got := run(t, dir, "upgrade-postgres", "--data-dir", dir); got.code != exitFailure || !strings.Contains(got.stderr, "no private PostgreSQL in "+dir) {
		t.Errorf("without a cluster: got code %d and %q", got.code, got.stderr)
	}
	archive := filepath.Join(dir, "first.tsv")
	lines := func(from, to int) (text string) {
		for i := from; i <= to; i++ {
			text += fmt.Sprintf("%d\t2024-03-13 15:34:18.657193+00\t/new_burn_block\t{\"n\":%d}\n", i, i)
		}
		return text
	}
	if err := os.WriteFile(archive, []byte(lines(1, 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "import", "--data-dir", dir, archive)
	id, size := archiveID(t, dir)
	if size != "300" {
		t.Fatalf("the log has %s events", size)
	}

	found, err := postgres.Installed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	version, _, _ := strings.Cut(found, " ")
	to, err := strconv.Atoi(version)
	if err != nil {
		t.Fatal(err)
	}
	if out := must(t, dir, "upgrade-postgres", "--data-dir", dir, "--to", version); !strings.Contains(out, "nothing to do") {
		t.Errorf("to the version it has: got %q", out)
	}
	done, err := postgres.Upgrade{DataDir: dir, To: to, SameVersion: true}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if out := must(t, dir, "verify", "--data-dir", dir); strings.Contains(out, "DIFFERENCE") {
		t.Errorf("verify: %s", out)
	}
	second := filepath.Join(dir, "second.tsv")
	if err := os.WriteFile(second, []byte(lines(301, 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "import", "--append", "--data-dir", dir, second)
	if again, size := archiveID(t, dir); again != id || size != "400" {
		t.Errorf("after the upgrade the log of archive %s has %s events, want %s and 400", again, size, id)
	}
	if out := must(t, dir, "upgrade-postgres", "--data-dir", dir, "--remove-old"); !strings.Contains(out, "Removed "+done.Kept) {
		t.Errorf("got %q, want that %s is removed", out, done.Kept)
	}
	if out := must(t, dir, "upgrade-postgres", "--data-dir", dir, "--abort"); !strings.Contains(out, "nothing to undo") {
		t.Errorf("got %q", out)
	}
}

// A server holds the folder: the command says which process.
func TestUpgradePostgresBesideServer(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	c, err := postgres.Start(t.Context(), postgres.Config{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Stop(t.Context()) }()
	got := run(t, dir, "upgrade-postgres", "--data-dir", dir)
	if got.code != exitFailure || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "is in use by ") {
		t.Errorf("got code %d and %q", got.code, got.stderr)
	}
	if _, err := os.Stat("/proc/locks"); err == nil && !regexp.MustCompile(fmt.Sprintf(`process %d \(`, os.Getpid())).MatchString(got.stderr) {
		t.Errorf("got %q, want process %d in it", got.stderr, os.Getpid())
	}
	if got := run(t, dir, "upgrade-postgres", "--data-dir", dir, "--database-url", "postgres://localhost/x"); got.code != exitFailure || !strings.Contains(got.stderr, "not a private Postgres") {
		t.Errorf("with a database of one's own: got code %d and %q", got.code, got.stderr)
	}
}
