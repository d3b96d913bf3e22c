package apitest

import (
	"bytes"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/vector"
	"strata/readapi"
	"strata/rig/replay"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Update reports whether golden files are to be written anew.
func Update() bool { return *update }

var Version = readapi.Version{Tag: "v1.0.0", Branch: "main", Commit: "abc1234"}

// site is an API on a database of its own.
type Site struct {
	T    testing.TB
	Pool *pgxpool.Pool
	API  *readapi.API
	Log  *logbuffer.Buffer
}

func NewSite(t testing.TB) *Site {
	t.Helper()
	return NewSiteOn(t, replay.Databases.New(t), readapi.Config{})
}

func NewSiteOn(t testing.TB, pool *pgxpool.Pool, config readapi.Config) *Site {
	t.Helper()
	s := &Site{T: t, Pool: pool, Log: &logbuffer.Buffer{}}
	config.Pool = pool
	config.Logger = slog.New(slog.NewTextHandler(s.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	config.Version = Version
	s.API = readapi.New(config)
	return s
}

func (s *Site) Exec(sql string, args ...any) {
	s.T.Helper()
	if _, err := s.Pool.Exec(s.T.Context(), sql, args...); err != nil {
		s.T.Fatalf("%s: %v", sql, err)
	}
}

// collect returns all rows of a query.
func collect[T any](s *Site, row pgx.RowToFunc[T], sql string, args ...any) []T {
	s.T.Helper()
	rows, err := s.Pool.Query(s.T.Context(), sql, args...)
	if err != nil {
		s.T.Fatalf("%s: %v", sql, err)
	}
	all, err := pgx.CollectRows(rows, row)
	if err != nil {
		s.T.Fatalf("%s: %v", sql, err)
	}
	return all
}

// openPool opens a pool that ends with the test.
func openPool(t testing.TB, config *pgxpool.Config) *pgxpool.Pool {
	t.Helper()
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	pgtest.AtEnd(t, pool.Close)
	return pool
}

// Repository returns the path of a file of this repository, for tests of any package.
func Repository(t testing.TB, parts ...string) string {
	t.Helper()
	return filepath.Join(append([]string{vector.Repository(t)}, parts...)...)
}

// Projection makes the tables of a version, from the file that its code embeds, and activates it.
func (s *Site) Projection(name string, input string) {
	s.T.Helper()
	s.tables(name, input, "projections", name, "tables.sql")
}

// tables is Projection with another file.
func (s *Site) tables(name, input string, file ...string) {
	s.T.Helper()
	ddl := must.Get(os.ReadFile(Repository(s.T, file...)))(s.T)
	schema := name + "_v1"
	s.Exec("CREATE SCHEMA " + schema)
	s.Exec(strings.ReplaceAll(string(ddl), "{schema}", schema))
	s.Exec(`INSERT INTO strata.projection (name, version, input, state) VALUES ($1, 1, $2, 'live')`, name, input)
	s.Exec(`INSERT INTO strata.active (name, version) VALUES ($1, 1)`, name)
}

type Reply struct {
	Status int
	Header http.Header
	Body   string
}

func (s *Site) Request(method, target string, header ...string) Reply {
	s.T.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.API.ServeHTTP(w, r)
	return Reply{w.Code, w.Header(), w.Body.String()}
}

func (s *Site) Get(target string) Reply {
	s.T.Helper()
	return s.Request(http.MethodGet, target)
}

// golden compares a JSON body with testdata/name.json.
func (s *Site) Golden(name, body string) {
	s.T.Helper()
	Golden(s.T, name, body)
}

func Golden(t testing.TB, name, body string) {
	t.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(body), "", "  "); err != nil {
		t.Fatalf("%s: %v in %q", name, err, body)
	}
	pretty.WriteByte('\n')
	file := filepath.Join("testdata", name+".json")
	if *update {
		must.Do(t, os.MkdirAll("testdata", 0o755))
		must.Do(t, os.WriteFile(file, pretty.Bytes(), 0o644))
	}
	want := must.Get(os.ReadFile(file))(t)
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("%s: got %s, want %s", name, pretty.Bytes(), want)
	}
}
