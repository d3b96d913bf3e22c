package admin_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/admin"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/projections/ft"
	"strata/projections/version"
	"strata/readapi"
	"strata/rig"
	"strata/rig/replay"
)

// site is an administration API on a database of its own, whose projections are folded.
type site struct {
	t      *testing.T
	log    *eventstore.Log
	lines  projections.Lines
	server *httptest.Server
	logged *buffer
	stop   func() // stops folding
}

// newSite folds some posts of a made-up chain, and serves administration and reads. change, if set, changes the
// settings.
func newSite(t *testing.T, change func(*admin.Config)) *site {
	t.Helper()
	s := &site{t: t, log: replay.NewLog(t), lines: projections.Lines{projections.Chain(rig.Chain(t), balances.New(nil), ft.New(nil))}, logged: &buffer{}}
	config := synthchain.Everything(7, synthchain.V40)
	config.SigningSample = 1000
	made := synthchain.New(config)
	posts := replay.Take(300, made.Next)
	replay.Append(t, s.log, posts...)
	s.stop = replay.Follow(t, follow.Config{Log: s.log, Interval: 50 * time.Millisecond}, s.lines...)
	replay.Wait(t, s.log)
	// A version that became live later would overwrite what a test does to the register.
	eventually.Holds(t, "all versions are live", func() bool {
		all := must.Get(version.Statuses(t.Context(), s.pool()))(t)
		return !slices.ContainsFunc(all, func(p version.Status) bool { return p.State != version.StateLive || !p.Indexed })
	})
	reads := readapi.New(readapi.Config{Pool: s.pool(), Rules: s.lines.Rules()})
	settings := admin.Config{
		Pool: s.pool(), Lines: s.lines, Loopback: true, Reads: reads.ForOperators(), Logger: slog.New(slog.NewTextHandler(s.logged, nil)),
	}
	if change != nil {
		change(&settings)
	}
	s.server = httptest.NewServer(admin.New(settings))
	t.Cleanup(s.server.Close)
	return s
}

func (s *site) pool() *pgxpool.Pool { return s.log.Pool() }

func (s *site) exec(sql string, args ...any) {
	s.t.Helper()
	if _, err := s.pool().Exec(s.t.Context(), sql, args...); err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
}

type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends a request. header alternates names and values.
func (s *site) ask(method, path, body string, header ...string) reply {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(text)}
}

// must sends a request that has to be answered with this status, and decodes the answer.
func (s *site) must(status int, method, path, body string, into any) reply {
	s.t.Helper()
	got := s.ask(method, "/admin/v1/projections"+path, body)
	if got.status != status {
		s.t.Fatalf("%s %s: got %d %s, want %d", method, path, got.status, got.body, status)
	}
	if got.header.Get("Cache-Control") != "no-store" {
		s.t.Errorf("%s %s: got %v, want no-store", method, path, got.header)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(got.body), into); err != nil {
			s.t.Fatalf("%s %s: got %s: %v", method, path, got.body, err)
		}
	}
	return got
}

// caughtUp waits until versions have caught up, one after the other. A leader must come before its followers.
func (s *site) caughtUp(schemas ...projections.Schema) {
	s.t.Helper()
	for _, i := range schemas {
		eventually.Holds(s.t, i.String()+" catches up", func() bool {
			all, err := version.Statuses(s.t.Context(), s.pool())
			if err != nil {
				s.t.Fatal(err)
			}
			return slices.ContainsFunc(all, func(p version.Status) bool {
				return p.Schema() == i && p.Lag() == 0 && p.State == version.StateLive && p.Indexed
			})
		})
	}
}

// buffer is a buffer that is safe for concurrent use.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
