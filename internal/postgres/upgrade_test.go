package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"strata/internal/postgres"
	"strata/internal/postgres/filelock"
	"strata/internal/testkit/pgtest"
)

// step stands for a kill -9 at a step of an upgrade.
type step string

// killedAt runs an upgrade until a step, where it ends as if the process were killed: nothing is cleaned up, and the locks are
// free.
func killedAt(t *testing.T, u postgres.Upgrade, at step) {
	t.Helper()
	defer func() {
		if got := recover(); got != at {
			t.Fatalf("the upgrade ended with %v, want it to be killed at %q", got, at)
		}
	}()
	u.At(func(name string) error {
		if step(name) == at {
			panic(at)
		}
		return nil
	})
	_, err := u.Run(t.Context())
	t.Fatalf("the upgrade was not killed at %q: %v", at, err)
}

// filled returns a data directory with a stopped cluster that has rows, a setting of the operator's, and, where collations have
// versions, an index in the order of an old one.
func filled(t *testing.T) string {
	t.Helper()
	dir := pgtest.DataDir(t)
	c := start(t, postgres.Config{DataDir: dir})
	run(t, c.URL(), `CREATE SCHEMA log; CREATE TABLE log.event AS SELECT n AS seq, 'x' || n AS path FROM generate_series(1, 1000) n`)
	run(t, c.AdminURL(), `ALTER SYSTEM SET log_min_duration_statement = '12345ms'`)
	stop(t, c)
	return dir
}

// intact checks that the cluster can be used and has what filled put there.
func intact(t *testing.T, dir string) *postgres.Cluster {
	t.Helper()
	c := start(t, postgres.Config{DataDir: dir})
	for _, q := range []struct{ sql, want string }{
		{"SELECT count(*) || ' ' || sum(seq) || ' ' || max(path) FROM log.event", "1000 500500 x999"},
		{"SELECT current_setting('log_min_duration_statement')", "12345ms"},
		{"SELECT current_user || ' ' || pg_get_userbyid(datdba) || ' ' || pg_encoding_to_char(encoding) || ' ' || datcollate FROM pg_database WHERE datname = current_database()", "strata strata UTF8 C"},
		{"SELECT rolsuper::text FROM pg_roles WHERE rolname = current_user", "false"},
		{"SELECT current_setting('data_checksums') || ' ' || current_setting('fsync') || ' ' || current_setting('shared_buffers')", "on on 256MB"},
	} {
		if got := query(t, c.URL(), q.sql); got != q.want {
			t.Errorf("%s: got %q, want %q", q.sql, got, q.want)
		}
	}
	return c
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// version returns the major version of the tests' server.
func version(t *testing.T) string {
	t.Helper()
	found, err := postgres.Installed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	version, _, _ := strings.Cut(found, " ")
	return version
}

func TestUpgrade(t *testing.T) {
	from := version(t)
	for _, link := range []bool{false, true} {
		t.Run(fmt.Sprintf("Link=%t", link), func(t *testing.T) {
			dir := filled(t)
			to, err := strconv.Atoi(from)
			if err != nil {
				t.Fatal(err)
			}
			u := postgres.Upgrade{DataDir: dir, To: to, Link: link}
			home := filepath.Join(dir, "postgres")
			if nothing, err := u.Run(t.Context()); err != nil || nothing.Kept != "" || !strings.Contains(nothing.String(), "nothing to do") {
				t.Fatalf("from a version to itself: got %v, %v, want nothing to do", nothing, err)
			}
			u.SameVersion = true
			u.At(func(name string) error {
				if name == "convert" {
					lingers(t, home)
				}
				return nil
			})
			done, err := u.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			checkUpgraded(t, done, home, link)
			c := intact(t, dir)
			if got := query(t, c.URL(), "SELECT reltuples::int::text FROM pg_class WHERE oid = 'log.event'::regclass"); got != "1000" {
				t.Errorf("the new cluster has no statistics: reltuples is %s", got)
			}
			stop(t, c)

			if removed, err := (postgres.Upgrade{DataDir: dir}).RemoveKept(t.Context()); err != nil || !slices.Equal(removed, []string{done.Kept}) {
				t.Errorf("RemoveKept: got %v, %v, want %s", removed, err, done.Kept)
			}
			if _, err := os.Stat(done.Kept); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the old cluster is still there: %v", err)
			}
			intact(t, dir)
		})
	}
}

// lingers keeps the lock of pg_upgrade's processes for a moment, as a server does that was stopped and has not ended yet.
func lingers(t *testing.T, home string) {
	t.Helper()
	lock, err := filelock.Open(filepath.Join(home, "upgrade.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Exclusive(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, func() { _ = lock.Release() })
}

func checkUpgraded(t *testing.T, done *postgres.Upgraded, home string, link bool) {
	t.Helper()
	if done.Linked != link || len(done.Lost) != 0 || done.Kept != filepath.Join(home, fmt.Sprintf("data.pg%d", done.From)) {
		t.Errorf("got %+v", done)
	}
	wants := []string{done.Kept, "--remove-old"}
	if link {
		wants = append(wants, "never start it")
	}
	for _, want := range wants {
		if !strings.Contains(done.String(), want) {
			t.Errorf("got %q, want %q in it", done, want)
		}
	}
	_, disabled := os.Stat(filepath.Join(done.Kept, "global", "pg_control"))
	if errors.Is(disabled, os.ErrNotExist) != link {
		t.Errorf("the control file of the old cluster: %v, with --link=%t", disabled, link)
	}
	for _, name := range names(t, home) {
		if strings.HasPrefix(name, "upgrade.json") || name == "data.next" || name == "upgrade" {
			t.Errorf("the upgrade has left %s", name)
		}
	}
}

// An upgrade is killed again and again, at places where what it leaves differs, and goes on each time.
func TestUpgradeGoesOn(t *testing.T) {
	dir := filled(t)
	home := filepath.Join(dir, "postgres")
	to, err := strconv.Atoi(version(t))
	if err != nil {
		t.Fatal(err)
	}
	u := postgres.Upgrade{DataDir: dir, To: to, Link: true, SameVersion: true}
	refused := func() {
		t.Helper()
		_, err := postgres.Start(t.Context(), postgres.Config{DataDir: dir})
		var unfinished *postgres.UnfinishedError
		if !errors.As(err, &unfinished) || unfinished.To != to {
			t.Fatalf("Start beside an unfinished upgrade: got %v, want an *UnfinishedError", err)
		}
		oneLine(t, err)
		if _, err := u.RemoveKept(t.Context()); !errors.As(err, &unfinished) {
			t.Errorf("RemoveKept beside an unfinished upgrade: got %v, want an *UnfinishedError", err)
		}
		if exists, err := postgres.Exists(dir); err != nil || !exists {
			t.Errorf("Exists: got %t, %v", exists, err)
		}
	}

	kills := 0
	killedAt := func(t *testing.T, u postgres.Upgrade, at step) {
		t.Helper()
		killedAt(t, u, at)
		kills++
	}
	killedAt(t, u, "check") // the new cluster is empty
	refused()
	if undone, err := u.Abort(t.Context()); err != nil || !undone {
		t.Fatalf("Abort: got %t, %v", undone, err)
	}
	stop(t, intact(t, dir))

	killedAt(t, u, "settings") // the old cluster can't be started, and shares its files with the new one
	refused()
	if _, err := os.Stat(filepath.Join(home, "data", "global", "pg_control")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("pg_upgrade has not linked: %v", err)
	}
	if undone, err := u.Abort(t.Context()); err != nil || !undone {
		t.Fatalf("Abort: got %t, %v", undone, err)
	}
	stop(t, intact(t, dir))

	killedAt(t, u, "settings")
	killedAt(t, u, "switched") // begins anew first
	// Between the two renames:
	if err := os.Rename(filepath.Join(home, "data"), filepath.Join(home, "data.next")); err != nil {
		t.Fatal(err)
	}
	refused()
	if undone, err := u.Abort(t.Context()); err == nil || undone {
		t.Errorf("Abort of a complete upgrade: got %t, %v, want an error", undone, err)
	}
	killedAt(t, u, "analyze")
	stop(t, intact(t, dir)) // usable before it has statistics
	done, err := u.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkUpgraded(t, done, home, true)
	if undone, err := u.Abort(t.Context()); err != nil || undone {
		t.Errorf("Abort without an upgrade: got %t, %v", undone, err)
	}
	c := intact(t, dir)
	t.Logf("fault: %d kills of an upgrade of Postgres, each of them undone or gone on from; of 1000 rows, lost %s",
		kills, query(t, c.URL(), "SELECT (1000 - count(*))::text FROM log.event"))
}

// An upgrade that fails, or that the user interrupts, leaves the cluster as it was.
func TestUpgradeFails(t *testing.T) {
	dir := filled(t)
	to, err := strconv.Atoi(version(t))
	if err != nil {
		t.Fatal(err)
	}
	before := names(t, filepath.Join(dir, "postgres"))
	u := postgres.Upgrade{DataDir: dir, To: to, Link: true, SameVersion: true}
	u.At(func(name string) error {
		if name == "switch" {
			return errors.New("no more")
		}
		return nil
	})
	if _, err := u.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	u.At(func(name string) error {
		if name == "check" {
			cancel(errors.New("interrupted"))
		}
		return nil
	})
	if _, err := u.Run(ctx); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("got %v", err)
	}
	for _, name := range names(t, filepath.Join(dir, "postgres")) {
		if name != "upgrade.lock" && !slices.Contains(before, name) {
			t.Errorf("the upgrade has left %s", name)
		}
	}
	intact(t, dir)
}

func TestUpgradeRefused(t *testing.T) {
	dir := pgtest.DataDir(t)
	if _, err := (postgres.Upgrade{DataDir: dir}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no private PostgreSQL") {
		t.Errorf("without a cluster: got %v", err)
	}
	c := start(t, postgres.Config{DataDir: dir})
	_, err := postgres.Upgrade{DataDir: dir}.Run(t.Context())
	var used *postgres.InUseError
	if !errors.As(err, &used) {
		t.Fatalf("beside a server: got %v, want an *InUseError", err)
	}
	oneLine(t, err)
	if _, err := os.Stat("/proc/locks"); err == nil && !strings.Contains(used.Error(), fmt.Sprintf("process %d (", os.Getpid())) {
		t.Errorf("got %q, want this process, %d, in it", used, os.Getpid())
	}
	run(t, c.URL(), "SELECT")
	stop(t, c)
	if _, err := (postgres.Upgrade{DataDir: dir, To: 99}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "99 is not (found: ") {
		t.Errorf("to a version that is not installed: got %v", err)
	}
	if _, err := (postgres.Upgrade{DataDir: dir, To: 9}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "doesn't go back") {
		t.Errorf("to an earlier version: got %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "postgres", "data", "PG_VERSION"), []byte("13\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = postgres.Start(t.Context(), postgres.Config{DataDir: dir})
	var gone *postgres.VersionError
	if !errors.As(err, &gone) {
		t.Fatalf("got %v, want a *VersionError", err)
	}
	oneLine(t, err)
	for _, want := range []string{"PostgreSQL 13", version(t) + " in ", "install", "strata upgrade-postgres"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
}

// TestUpgradeBetweenVersions needs the programs of a newer version than that of the other tests.
func TestUpgradeBetweenVersions(t *testing.T) {
	newer := os.Getenv("STRATA_POSTGRES_NEWER_BIN")
	if newer == "" {
		t.Skip("STRATA_POSTGRES_NEWER_BIN does not name the folder of a newer PostgreSQL: make postgres-versions-test fetches one")
	}
	for _, link := range []bool{false, true} {
		t.Run(fmt.Sprintf("Link=%t", link), func(t *testing.T) {
			dir := filled(t)
			found := filepath.Join(newer, "postgres")
			t.Setenv(postgres.BinEnv, found)
			_, err := postgres.Start(t.Context(), postgres.Config{DataDir: dir})
			var gone *postgres.VersionError
			if !errors.As(err, &gone) {
				t.Fatalf("with the newer version alone: got %v, want a *VersionError", err)
			}
			done, err := postgres.Upgrade{DataDir: dir, Link: link}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if done.To <= done.From {
				t.Fatalf("upgraded from %d to %d", done.From, done.To)
			}
			checkUpgraded(t, done, filepath.Join(dir, "postgres"), link)
			c := intact(t, dir)
			if got := query(t, c.URL(), "SELECT current_setting('server_version')"); !strings.HasPrefix(got, strconv.Itoa(done.To)) {
				t.Errorf("the server is of version %s, want %d", got, done.To)
			}
		})
	}
}
