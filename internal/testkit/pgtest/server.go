package pgtest

import (
	"context"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/postgres"
	"strata/internal/testkit/eventually"
)

// DataDir returns an empty data directory for a private PostgreSQL of this test alone, for example that of a whole
// strata that the test runs. Unlike t.TempDir, the user that runs the server for root can reach it. When the test ends
// or is killed, a server that still runs there is stopped, and the directory is removed.
func DataDir(t testing.TB) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	f, err := openFolder()
	check(t, "open the folder of data directories", err)
	name, use, err := f.enter(ctx, "")
	check(t, "create a data directory", err)
	dir := f.path(name)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := removeOwn(ctx, dir); err != nil {
			t.Errorf("pgtest: remove the test's data directory: %v", err)
		}
		if err := use.Release(); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return dir
}

// Server is a cluster that belongs to one test.
type Server struct {
	dir      string
	settings map[string]string
	cluster  *postgres.Cluster
}

// Dedicated starts a cluster for test t alone, which the test may stop, kill and start again. It is stopped and removed
// when the test ends. If a database is enough, New is many times quicker.
func Dedicated(t testing.TB) *Server {
	t.Helper()
	return DedicatedWith(t, nil)
}

// DedicatedWith is Dedicated with settings of the server that differ from those of other tests.
func DedicatedWith(t testing.TB, changes map[string]string) *Server {
	t.Helper()
	s := &Server{dir: DataDir(t), settings: settings()}
	maps.Copy(s.settings, changes)
	s.Start(t)
	t.Cleanup(func() { s.Stop(t) })
	return s
}

// URL returns the application's connection string. It stays the same when the server is stopped and started.
func (s *Server) URL() string { return s.cluster.URL() }

// AdminURL returns the superuser's connection string to the same database.
func (s *Server) AdminURL() string { return s.cluster.AdminURL() }

// New returns a pool on the server's database. The pool is closed when the test ends.
func (s *Server) New(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return openPool(t, s.URL())
}

// Start starts the server, unless it runs, and returns when it accepts connections.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	cluster, err := postgres.Start(ctx, postgres.Config{DataDir: s.dir, NoFsync: true, Settings: s.settings})
	check(t, "start the server", err)
	before := s.cluster
	s.cluster = cluster
	if before != nil {
		if err := before.Stop(ctx); err != nil { // it keeps running, because the new cluster value uses it
			t.Fatalf("pgtest: %v", err)
		}
	}
}

// Stop shuts the server down, which ends its sessions, and returns when it is gone.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	check(t, "stop the server", s.cluster.Stop(ctx))
}

// Kill ends the server's main process with SIGKILL, like a crash, and returns when it is gone, and all backends are that
// there were. A backend notices the crash when it has nothing to read, so a busy one goes on to commit for a while. The next Start
// recovers from the write-ahead log.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	processes := append(queryValue[[]int](t, s, `SELECT array_agg(pid) FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend'`), s.cluster.Pid())
	check(t, "kill the server", syscall.Kill(s.cluster.Pid(), syscall.SIGKILL))
	eventually.Holds(t, "no process of the killed server is left", func() bool {
		processes = slices.DeleteFunc(processes, func(pid int) bool { return syscall.Kill(pid, 0) != nil })
		return len(processes) == 0
	})
}
