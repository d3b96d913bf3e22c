package bns_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	domain "strata/domain/bns"
	"strata/eventstore"
	"strata/internal/synth/synthnames"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/projections/bns"
	"strata/projections/chain"
	reads "strata/readapi/bns"
	"strata/readapi/internal/engine"
	"strata/rig/bnschain"
	"strata/rig/replay"
)

// site is an API of the package's operations alone.
type site struct {
	t      testing.TB
	pool   *pgxpool.Pool
	engine *engine.Engine
	http.Handler
}

// newSite returns an API over the blocks.
func newSite(t testing.TB, blocks []synthnames.Block) *site {
	t.Helper()
	return addBlocks(t, replay.NewLog(t), blocks)
}

// addBlocks adds blocks to a log, folds them, and returns an API over all blocks of the log.
func addBlocks(t testing.TB, log *eventstore.Log, blocks []synthnames.Block) *site {
	t.Helper()
	replay.Append(t, log, bnschain.Posts(blocks...)...)
	c := must.Get(chain.New(chain.Recommended, nil))(t)
	replay.Run(t, log, c, bns.New(domain.KnownContracts()))
	return newSiteOn(t, log.Pool(), "")
}

func newSiteOn(t testing.TB, pool *pgxpool.Pool, network string) *site {
	t.Helper()
	e := engine.New(engine.Config{
		Description: huma.DefaultConfig("names", "1"), Pool: pool, Network: network,
		Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	reads.Mount(e)
	e.Plain("/", "unknown", engine.RouteNotFound)
	return &site{t, pool, e, reads.Understand(e)}
}

// reply is an answer.
type reply struct {
	status int
	body   string
}

// get requests a path after the prefix of the package.
func (s *site) get(path string) reply {
	s.t.Helper()
	return request(s.t, s, reads.Path+path)
}

func request(t testing.TB, handler http.Handler, target string) reply {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
	return reply{w.Code, w.Body.String()}
}

// object returns the body of an answer with status 200.
func (s *site) object(path string) (members map[string]any) {
	s.t.Helper()
	got := s.get(path)
	if got.status != http.StatusOK {
		s.t.Fatalf("%s: got %d %s", path, got.status, got.body)
	}
	must.Do(s.t, json.Unmarshal([]byte(got.body), &members))
	return members
}

// expect compares answers with the bodies that they are to have, which a status other than 200 precedes. In the texts, @A,
// @B and @C stand for accounts.
func (s *site) expect(accounts []string, bodies map[string]string) {
	s.t.Helper()
	names := strings.NewReplacer("@A", accounts[0], "@B", accounts[1], "@C", accounts[2])
	for path, want := range bodies {
		got := s.get(names.Replace(path))
		text := got.body
		if got.status != http.StatusOK {
			text = strconv.Itoa(got.status) + " " + text
		}
		check.Equal(s.t, path, text, names.Replace(want))
	}
}
