package readapi_test

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
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/replay"
	"strata/readapi"
)

var update = flag.Bool("update", false, "write the golden files anew")

var version = readapi.Version{Tag: "v1.0.0", Branch: "main", Commit: "abc1234"}

// site is an API on a database of its own.
type site struct {
	t    testing.TB
	pool *pgxpool.Pool
	api  *readapi.API
	log  *lockedBuffer
}

func newSite(t testing.TB) *site {
	t.Helper()
	return newSiteOn(t, replay.Databases.New(t), readapi.Config{})
}

func newSiteOn(t testing.TB, pool *pgxpool.Pool, config readapi.Config) *site {
	t.Helper()
	s := &site{t: t, pool: pool, log: &lockedBuffer{}}
	config.Pool = pool
	config.Logger = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	config.Version = version
	s.api = readapi.New(config)
	return s
}

func (s *site) exec(sql string, args ...any) {
	s.t.Helper()
	if _, err := s.pool.Exec(s.t.Context(), sql, args...); err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
}

// projection makes the tables of a version, from the file that its code embeds, and activates it.
func (s *site) projection(name string, input string) {
	s.t.Helper()
	ddl, err := os.ReadFile(filepath.Join("..", "projections", name, "tables.sql"))
	if err != nil {
		s.t.Fatal(err)
	}
	schema := name + "_v1"
	s.exec("CREATE SCHEMA " + schema)
	s.exec(strings.ReplaceAll(string(ddl), "{schema}", schema))
	s.exec(`INSERT INTO strata.projection (name, version, input, state) VALUES ($1, 1, $2, 'live')`, name, input)
	s.exec(`INSERT INTO strata.active (name, version) VALUES ($1, 1)`, name)
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (s *site) request(method, target string, header ...string) reply {
	s.t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}

func (s *site) get(target string) reply {
	s.t.Helper()
	return s.request(http.MethodGet, target)
}

// golden compares a JSON body with testdata/name.json.
func (s *site) golden(name, body string) {
	s.t.Helper()
	golden(s.t, name, body)
}

func golden(t testing.TB, name, body string) {
	t.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(body), "", "  "); err != nil {
		t.Fatalf("%s: %v in %q", name, err, body)
	}
	pretty.WriteByte('\n')
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("%s: got %s, want %s", name, pretty.Bytes(), want)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
