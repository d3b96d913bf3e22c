package pgtest_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

var fills atomic.Int32

// migrated fills its template as migrations do, with schemas of fixed names.
var migrated = pgtest.Template("migrated", func(ctx context.Context, url string) error {
	fills.Add(1)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `CREATE SCHEMA log; CREATE TABLE log.event (seq bigint PRIMARY KEY)`); err != nil {
		return err
	}
	return conn.Close(ctx)
})

func queryString(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) string {
	t.Helper()
	var got string
	if err := pool.QueryRow(t.Context(), sql, args...).Scan(&got); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func connectString(t *testing.T, url, sql string) string {
	t.Helper()
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	defer conn.Close(t.Context()) //nolint:errcheck // only read
	var got string
	if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func TestNewConnectsAsApplication(t *testing.T) {
	pool := pgtest.New(t)
	for _, tc := range []struct{ sql, want string }{
		{"SELECT current_user::text", "strata"},
		{"SELECT usesuper::text FROM pg_user WHERE usename = current_user", "false"},
		{"SELECT current_setting('search_path')", ""},
		{"SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = current_database()", "strata"},
		{"SELECT current_setting('fsync')", "off"},
	} {
		if got := queryString(t, pool, tc.sql); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.sql, got, tc.want)
		}
	}
	if _, err := pool.Exec(t.Context(), "CREATE TABLE unqualified (a int)"); err == nil {
		t.Error("a table without a schema was created, so search_path is not empty")
	}
}

func TestEachTestHasOneDatabase(t *testing.T) {
	const name = "SELECT current_database()::text"
	outer := queryString(t, pgtest.New(t), name)
	if got := connectString(t, pgtest.URL(t), name); got != outer {
		t.Errorf("URL: got database %s, want New's %s", got, outer)
	}
	asSuperuser := name + " WHERE (SELECT usesuper FROM pg_user WHERE usename = current_user)"
	if got := connectString(t, pgtest.AdminURL(t), asSuperuser); got != outer {
		t.Errorf("AdminURL: got database %s, want New's %s", got, outer)
	}
	if got := connectString(t, pgtest.Fresh(t), name); got == outer {
		t.Errorf("Fresh: got the test's database %s, want another", got)
	}
	t.Run("Subtest", func(t *testing.T) {
		if got := queryString(t, pgtest.New(t), name); got == outer {
			t.Errorf("got the outer test's database %s, want another", got)
		}
	})
}

func TestDatabaseIsDropped(t *testing.T) {
	var name string
	t.Run("Use", func(t *testing.T) { name = queryString(t, pgtest.New(t), "SELECT current_database()::text") })
	if got := queryString(t, pgtest.New(t), countDatabases, name); got != "0" {
		t.Errorf("the database %s outlived its test", name)
	}
}

func TestDatabaseWithOpenSessionIsDropped(t *testing.T) {
	var name string
	var conn *pgx.Conn
	t.Run("Use", func(t *testing.T) {
		var err error
		if conn, err = pgx.Connect(t.Context(), pgtest.URL(t)); err != nil {
			t.Fatal(err)
		}
		must.Do(t, conn.QueryRow(t.Context(), "SELECT current_database()::text").Scan(&name))
	})
	if got := queryString(t, pgtest.New(t), countDatabases, name); got != "0" {
		t.Errorf("the database %s outlived its test", name)
	}
	if err := conn.Ping(t.Context()); err == nil {
		t.Error("the session of a dropped database still answers")
	}
	conn.Close(t.Context()) //nolint:errcheck // the server has ended it
}

func TestTemplate(t *testing.T) {
	for _, name := range []string{"A", "B", "C"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := migrated.New(t)
			if got := queryString(t, pool, "SELECT count(*)::text FROM log.event"); got != "0" {
				t.Fatalf("rows of other tests: got %s, want 0", got)
			}
			if _, err := pool.Exec(t.Context(), "INSERT INTO log.event VALUES (1)"); err != nil {
				t.Fatal(err)
			}
			if got := connectString(t, pgtest.AdminURL(t), "SELECT count(*)::text FROM log.event"); got != "1" {
				t.Errorf("AdminURL: got %s rows, want 1 of this test", got)
			}
		})
	}
	t.Cleanup(func() {
		if got := fills.Load(); got != 1 {
			t.Errorf("the template was filled %d times, want once", got)
		}
	})
}

func TestDedicated(t *testing.T) {
	s := pgtest.Dedicated(t)
	url := s.URL()
	pool := s.New(t)
	if _, err := pool.Exec(t.Context(), "CREATE SCHEMA log; CREATE TABLE log.event (seq bigint)"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		down func(testing.TB)
	}{
		{"Stop", s.Stop},
		{"Kill", s.Kill},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := pool.Exec(t.Context(), "INSERT INTO log.event VALUES (1)"); err != nil {
				t.Fatal(err)
			}
			tc.down(t)
			if conn, err := pgx.Connect(t.Context(), url); err == nil {
				t.Errorf("connected to a server that is down (close returns %v)", conn.Close(t.Context()))
			}
			s.Start(t)
			if s.URL() != url {
				t.Errorf("URL after the restart: got %s, want %s", s.URL(), url)
			}
			pool.Reset()
		})
	}
	if got := queryString(t, pool, "SELECT count(*)::text FROM log.event"); got != "2" {
		t.Errorf("rows after the restarts: got %s, want 2 committed rows", got)
	}
}

func BenchmarkNew(b *testing.B) {
	for _, bc := range []struct {
		name string
		new  func(testing.TB) *pgxpool.Pool
	}{
		{"Empty", pgtest.New},
		{"Template", migrated.New},
	} {
		bc.new(b)
		b.Run(bc.name, func(b *testing.B) {
			for b.Loop() {
				must.Do(b, useOnce(b, bc.new))
			}
		})
	}
}

// useOnce creates, uses and drops one database, as a whole test does.
func useOnce(b *testing.B, open func(testing.TB) *pgxpool.Pool) error {
	t := &shortTest{TB: b}
	defer t.end()
	return open(t).Ping(b.Context())
}

// shortTest is a test that ends when end is called.
type shortTest struct {
	testing.TB
	cleanups []func()
}

func (s *shortTest) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *shortTest) end() {
	for i := len(s.cleanups) - 1; i >= 0; i-- {
		s.cleanups[i]()
	}
}
