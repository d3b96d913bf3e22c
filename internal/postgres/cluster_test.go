package postgres_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/postgres"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
)

func start(t *testing.T, cfg postgres.Config) *postgres.Cluster {
	t.Helper()
	c := must.Get(postgres.Start(t.Context(), cfg))(t)
	t.Cleanup(func() { stop(t, c) })
	return c
}

func stop(t *testing.T, c *postgres.Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := c.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // the server may be gone
	return conn
}

func query(t *testing.T, url, sql string) string {
	t.Helper()
	var got string
	if err := connect(t, url).QueryRow(t.Context(), sql).Scan(&got); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func run(t *testing.T, url, sql string) {
	t.Helper()
	if _, err := connect(t, url).Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// oneLine checks that a message fits in one line of a log.
func oneLine(t *testing.T, err error) {
	t.Helper()
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the message has several lines: %q", err)
	}
}

func TestNewClusterIsKept(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, dir string }{
		{"Plain", "data"},
		{"Strange", `a b+"c'd\e%f&g?é`},
		{"Comma", `a,b`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(pgtest.DataDir(t), tc.dir)
			first := start(t, postgres.Config{DataDir: dir, Settings: map[string]string{"application_name": `it's a \ "test"`}})
			for _, q := range []struct{ sql, want string }{
				{"SELECT current_user || ' ' || current_database()", "strata strata"},
				{"SELECT rolsuper::text FROM pg_roles WHERE rolname = current_user", "false"},
				{"SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = current_database()", "strata"},
				{"SELECT current_setting('fsync')", "on"},
				{"SELECT current_setting('listen_addresses')", ""},
				{"SELECT current_setting('server_encoding')", "UTF8"},
				{"SELECT current_setting('data_checksums')", "on"},
				{"SELECT reset_val FROM pg_settings WHERE name = 'application_name'", `it's a \ "test"`},
			} {
				if got := query(t, first.URL(), q.sql); got != q.want {
					t.Errorf("%s: got %q, want %q", q.sql, got, q.want)
				}
			}
			if got := query(t, first.AdminURL(), "SELECT usesuper::text FROM pg_user WHERE usename = current_user"); got != "true" {
				t.Errorf("AdminURL: superuser: got %s, want true", got)
			}
			run(t, first.URL(), "CREATE SCHEMA log; CREATE TABLE log.event AS SELECT 1 AS seq")
			stop(t, first)
			gone(t, first.Pid())

			second := start(t, postgres.Config{DataDir: dir})
			if got := query(t, second.URL(), "SELECT seq::text FROM log.event"); got != "1" {
				t.Errorf("after the restart: got %q, want 1", got)
			}
			if second.URL() != first.URL() {
				t.Errorf("URL after the restart: got %s, want %s", second.URL(), first.URL())
			}
		})
	}
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	start(t, postgres.Config{DataDir: dir})
	for _, name := range []string{"postgres", "postgres/data", "postgres/socket"} {
		info := must.Get(os.Stat(filepath.Join(dir, name)))(t)
		if got := info.Mode().Perm(); got != 0o700 {
			t.Errorf("%s: got mode %o, want 700", name, got)
		}
	}
}

func TestRelativeDataDir(t *testing.T) {
	t.Chdir(pgtest.DataDir(t))
	c := start(t, postgres.Config{DataDir: "./.strata"})
	if !strings.Contains(c.URL(), "host=%2F") {
		t.Errorf("the socket's path is not absolute: %s", c.URL())
	}
	run(t, c.URL(), "SELECT")
}

func TestServerOfKilledProcessIsAdopted(t *testing.T) {
	short.Skip(t, "starts servers of its own")
	t.Parallel()
	dir := pgtest.DataDir(t)
	other := begin(t, dir, nil)
	pid, url := other.running(t)
	run(t, url, "CREATE SCHEMA log")
	other.kill(t)
	run(t, url, "CREATE TABLE log.event (seq bigint)") // the server still runs

	c := start(t, postgres.Config{DataDir: dir})
	if c.Pid() != pid || c.URL() != url {
		t.Errorf("got the server %d at %s, want the orphan %d at %s", c.Pid(), c.URL(), pid, url)
	}
	run(t, c.URL(), "SELECT FROM log.event")
	stop(t, c)
	gone(t, pid)
}

func TestLastUserStops(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		otherFirst bool // the other process starts the server, and stays
	}{
		{"StarterLeavesFirst", false},
		{"StarterLeavesLast", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := pgtest.DataDir(t)
			var c *postgres.Cluster
			if !tc.otherFirst {
				c = start(t, postgres.Config{DataDir: dir})
			}
			other := begin(t, dir, nil)
			pid, url := other.running(t)
			if tc.otherFirst {
				c = start(t, postgres.Config{DataDir: dir})
			}
			if c.Pid() != pid {
				t.Fatalf("two servers: %d and %d", c.Pid(), pid)
			}
			stop(t, c)
			run(t, url, "SELECT") // the other process still uses the server
			other.stop(t)
			gone(t, pid)
		})
	}
}

func TestOneProcessMayUseItTwice(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	a := start(t, postgres.Config{DataDir: dir})
	b := start(t, postgres.Config{DataDir: dir})
	stop(t, a)
	stop(t, a) // a second stop does nothing
	run(t, b.URL(), "SELECT")
	stop(t, b)
	gone(t, b.Pid())
}

func TestAllStartAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(pgtest.DataDir(t), "data")
	others := []*otherProcess{begin(t, dir, nil), begin(t, dir, nil)}
	clusters := make([]*postgres.Cluster, 3)
	var wg sync.WaitGroup
	for i := range clusters {
		wg.Go(func() {
			c, err := postgres.Start(t.Context(), postgres.Config{DataDir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			clusters[i] = c
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for _, o := range others {
		if pid, _ := o.running(t); pid != clusters[0].Pid() {
			t.Errorf("two servers: %d and %d", pid, clusters[0].Pid())
		}
	}
	for _, o := range others {
		wg.Go(func() { o.stop(t) })
	}
	for _, c := range clusters {
		wg.Go(func() { stop(t, c) })
	}
	wg.Wait()
	gone(t, clusters[0].Pid())
}

func TestLongPath(t *testing.T) {
	short.Skip(t, "starts servers of its own")
	t.Parallel()
	dir := filepath.Join(pgtest.DataDir(t), strings.Repeat("long", 25))
	a := start(t, postgres.Config{DataDir: dir})
	socket := must.Get(os.Readlink(filepath.Join(dir, "postgres", "socket")))(t)
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's folder: %v, %v; want mode 700", info, err)
	}
	b := start(t, postgres.Config{DataDir: dir})
	if a.Pid() != b.Pid() {
		t.Errorf("two servers: %d and %d", a.Pid(), b.Pid())
	}
	run(t, b.URL(), "SELECT")
	stop(t, a)
	stop(t, b)
	if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s outlived the server (%v)", socket, err)
	}
	if c := start(t, postgres.Config{DataDir: dir}); c.URL() != a.URL() {
		t.Errorf("URL after the restart: got %s, want %s", c.URL(), a.URL())
	}
}

func TestSomebodyElsesShortFolderIsNotUsed(t *testing.T) {
	dir := filepath.Join(pgtest.DataDir(t), strings.Repeat("long", 25))
	a := start(t, postgres.Config{DataDir: dir})
	socket := must.Get(os.Readlink(filepath.Join(dir, "postgres", "socket")))(t)
	stop(t, a)
	must.Do(t, os.Mkdir(socket, 0o755))     // a mode that lets others in
	t.Cleanup(func() { os.Remove(socket) }) //nolint:errcheck // a leftover folder does no harm
	b := start(t, postgres.Config{DataDir: dir})
	if a.URL() == b.URL() {
		t.Errorf("the socket is in %s, which others can enter", socket)
	}
	run(t, b.URL(), "SELECT")
}

func TestNoBinaries(t *testing.T) {
	empty := t.TempDir()
	t.Setenv(postgres.BinEnv, empty)
	t.Setenv("PATH", "")
	dir := filepath.Join(t.TempDir(), "data")
	_, err := postgres.Start(t.Context(), postgres.Config{DataDir: dir})
	var missing *postgres.NoBinariesError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v, want a *NoBinariesError", err)
	}
	oneLine(t, err)
	for _, want := range []string{postgres.BinEnv, empty, "install", "STRATA_DATABASE_URL"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message does not name %s: %v", want, err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data directory was created nevertheless (%v)", err)
	}
}

func TestClusterOfAVersionThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	stop(t, start(t, postgres.Config{DataDir: dir}))
	must.Do(t, os.WriteFile(filepath.Join(dir, "postgres", "data", "PG_VERSION"), []byte("99\n"), 0o600))
	_, err := postgres.Start(t.Context(), postgres.Config{DataDir: dir})
	var version *postgres.VersionError
	if !errors.As(err, &version) || version.Want != 99 {
		t.Fatalf("got %v, want a *VersionError for 99", err)
	}
	oneLine(t, err)
	for _, want := range []string{"PostgreSQL 99", "install", postgres.BinEnv, "strata export", "strata import", "--data-dir"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
}

// A cluster that an earlier release began to upgrade with pg_upgrade is refused until the upgrade is complete but for statistics.
func TestClusterWithAnInterruptedUpgrade(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	stop(t, start(t, postgres.Config{DataDir: dir}))
	state := filepath.Join(dir, "postgres", "upgrade.json")
	for phase, refused := range map[string]bool{"upgrading": true, "switching": true, "analyzing": false} {
		must.Do(t, os.WriteFile(state, []byte(`{"phase":"`+phase+`","from":15,"to":17,"link":false,"kept":"data.pg15"}`), 0o600))
		if exists, err := postgres.Exists(dir); err != nil || !exists {
			t.Errorf("%s: Exists: got %t, %v", phase, exists, err)
		}
		if !refused {
			stop(t, start(t, postgres.Config{DataDir: dir}))
			continue
		}
		_, err := postgres.Start(t.Context(), postgres.Config{DataDir: dir})
		var unfinished *postgres.UnfinishedError
		if !errors.As(err, &unfinished) || !strings.Contains(err.Error(), "release of strata that began it") {
			t.Fatalf("%s: got %v, want an *UnfinishedError", phase, err)
		}
		oneLine(t, err)
	}
}

func TestErrorQuotesServer(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	_, err := postgres.Start(t.Context(), postgres.Config{DataDir: dir, Settings: map[string]string{"no_such_setting": "1"}})
	var server *postgres.ServerError
	if !errors.As(err, &server) {
		t.Fatalf("got %v, want a *ServerError", err)
	}
	oneLine(t, err)
	if !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("the error does not quote the server's output: %v", err)
	}
	start(t, postgres.Config{DataDir: dir}) // the cluster itself is undamaged
}

func TestKilledDuringInitdb(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	other := begin(t, dir, nil)
	pattern := filepath.Join(dir, "postgres", "data.new-*", "*")
	eventually.Holds(t, "initdb has begun", func() bool {
		found, err := filepath.Glob(pattern)
		return err != nil || len(found) > 0
	})
	other.kill(t)
	c := start(t, postgres.Config{DataDir: dir})
	run(t, c.URL(), "SELECT")
	if left, err := filepath.Glob(filepath.Dir(pattern)); err != nil || len(left) > 0 {
		t.Errorf("left over: %v (%v)", left, err)
	}
}

func TestCanceledStartLeavesNothingHalfDone(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	if c, err := postgres.Start(ctx, postgres.Config{DataDir: dir}); err == nil {
		stop(t, c) // the machine was quick enough
	} else if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
	c := start(t, postgres.Config{DataDir: dir})
	run(t, c.URL(), "SELECT")
}

func TestServerKilled(t *testing.T) {
	short.Skip(t, "starts servers of its own")
	t.Parallel()
	dir := pgtest.DataDir(t)
	a := start(t, postgres.Config{DataDir: dir})
	run(t, a.URL(), "CREATE SCHEMA log; CREATE TABLE log.event AS SELECT 1 AS seq")
	// A backend that computes does not notice the death of the postmaster, and keeps the shared memory.
	busy := connect(t, a.URL())
	computing := make(chan struct{})
	go func() {
		defer close(computing)
		busy.Exec(t.Context(), "SELECT sum(sqrt(i)) FROM generate_series(1, 4000000) AS i") //nolint:errcheck // its connection may die
	}()
	eventually.Holds(t, "the backend computes", func() bool {
		return query(t, a.URL(), "SELECT count(*)::text FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT sum(sqrt(i))%'") == "1"
	})
	must.Do(t, syscall.Kill(a.Pid(), syscall.SIGKILL))
	b := start(t, postgres.Config{DataDir: dir})
	if a.Pid() == b.Pid() {
		t.Errorf("Start returned the dead server %d", a.Pid())
	}
	if got := query(t, b.URL(), "SELECT seq::text FROM log.event"); got != "1" {
		t.Errorf("after the crash: got %q, want 1", got)
	}
	<-computing
}

// A server that is killed is started again, at the same address, as often as it is killed.
func TestKeep(t *testing.T) {
	short.Skip(t, "starts servers of its own")
	t.Parallel()
	c := start(t, postgres.Config{DataDir: pgtest.DataDir(t)})
	url := c.URL()
	run(t, url, "CREATE TABLE kept AS SELECT 1 AS one")
	ctx, leave := context.WithCancel(t.Context())
	var keeping sync.WaitGroup
	keeping.Go(func() { c.Keep(ctx) })
	var away []time.Duration
	for range 2 {
		pid, killed := c.Pid(), time.Now()
		must.Do(t, syscall.Kill(pid, syscall.SIGKILL))
		eventually.Holds(t, "it runs again", func() bool { return c.Pid() != pid })
		away = append(away, time.Since(killed).Round(time.Millisecond))
		if got := query(t, url, "SELECT one::text FROM kept"); got != "1" || c.URL() != url {
			t.Errorf("got %q at %s, want 1 at %s", got, c.URL(), url)
		}
	}
	t.Logf("fault: %d kills of Postgres; it ran again after %v", len(away), away)
	leave()
	keeping.Wait()
	stop(t, c)
	c.Keep(t.Context()) // of a cluster that is stopped: does not start it
}

func TestRetire(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t)
	retire := func(want bool) {
		t.Helper()
		if got, err := postgres.Retire(t.Context(), dir); err != nil || got != want {
			t.Errorf("Retire: got %t, %v, want %t", got, err, want)
		}
	}
	retire(true) // there is no cluster
	other := begin(t, dir, nil)
	pid, url := other.running(t)
	retire(false)
	run(t, url, "SELECT")
	other.kill(t)
	retire(true)
	gone(t, pid)
	retire(true)
}
