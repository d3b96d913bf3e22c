package pgtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

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
