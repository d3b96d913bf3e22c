package upgrading_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5"

	"strata/cmd/strata/internal/archiving"
	"strata/cmd/strata/internal/program"
	"strata/cmd/strata/internal/upgrading"
	"strata/cmd/strata/internal/verify"
	"strata/internal/postgres"
	"strata/internal/testkit/pgtest"
)

// commands are those that the test gives, as the program has them.
type commands struct {
	program.Globals `embed:""`

	Import          archiving.Import  `cmd:""`
	Verify          verify.Command    `cmd:""`
	UpgradePostgres upgrading.Command `cmd:""`
}

// do parses a command line and runs the command in this process.
func do(t testing.TB, args ...string) error {
	t.Helper()
	var all commands
	parser, err := kong.New(&all, kong.BindTo(t.Context(), (*context.Context)(nil)))
	if err != nil {
		t.Fatal(err)
	}
	command, err := parser.Parse(args)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return command.Run(&all.Globals)
}

func must(t testing.TB, args ...string) {
	t.Helper()
	if err := do(t, args...); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

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
	if err := do(t, "upgrade-postgres", "--data-dir", dir); err == nil || !strings.Contains(err.Error(), "no private PostgreSQL in "+dir) {
		t.Errorf("without a cluster: got %v", err)
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
	must(t, "import", "--data-dir", dir, archive)
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
	must(t, "upgrade-postgres", "--data-dir", dir, "--to", version) // nothing to do
	done, err := postgres.Upgrade{DataDir: dir, To: to, SameVersion: true}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	must(t, "verify", "--data-dir", dir) // returns an error if there are differences
	second := filepath.Join(dir, "second.tsv")
	if err := os.WriteFile(second, []byte(lines(301, 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "import", "--append", "--data-dir", dir, second)
	if again, size := archiveID(t, dir); again != id || size != "400" {
		t.Errorf("after the upgrade the log of archive %s has %s events, want %s and 400", again, size, id)
	}
	must(t, "upgrade-postgres", "--data-dir", dir, "--remove-old")
	if _, err := os.Stat(done.Kept); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", done.Kept, err)
	}
	must(t, "upgrade-postgres", "--data-dir", dir, "--abort") // nothing to undo
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
	err = do(t, "upgrade-postgres", "--data-dir", dir)
	var used *postgres.InUseError
	if !errors.As(err, &used) {
		t.Fatalf("got %v, want an *InUseError", err)
	}
	if _, err := os.Stat("/proc/locks"); err == nil && !strings.Contains(used.Error(), fmt.Sprintf("process %d (", os.Getpid())) {
		t.Errorf("got %q, want process %d in it", used, os.Getpid())
	}
	if err := do(t, "upgrade-postgres", "--data-dir", dir, "--database-url", "postgres://localhost/x"); err == nil || !strings.Contains(err.Error(), "not a private Postgres") {
		t.Errorf("with a database of one's own: got %v", err)
	}
}
