package site_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"strata/domain/hash"
	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections/balances"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// hostile is text that would be more than text in a page that makes markup of it.
const hostile = `</script></pre><img src=x onerror="window.hit=1">"'&lt;` + "\u202e"

// consoleSite is an API that is served over HTTP, on a chain that was folded, with a log that is signed.
type consoleSite struct {
	*apitest.Site
	events *eventstore.Log
	signer *transparency.Log
	url    string
	// principal has many changes of its balance.
	principal string
	// Events: one that nothing can read, and one that is larger than what is loaded.
	broken, large int64
	// change, when it is set, makes other answers of answers.
	change atomic.Pointer[func(path string, status int, body []byte) (int, []byte)]
}

func newConsoleSite(t testing.TB) *consoleSite {
	t.Helper()
	s := &consoleSite{events: replay.NewLog(t)}
	stop := replay.Start(t, s.events, apitest.NewChain(t), balances.New(nil))
	made := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 1000, Maturity: 3})
	var posts []replay.Post
	for range 60 {
		posts = append(posts, made.Next())
	}
	text := must.Get(json.Marshal(hostile))(t)
	broken := fmt.Sprintf(`{"block_hash":%s,"more":[1.00,-0e5,{%[1]s:{"a/b~c":12345678901234567890}}]}`, text)
	posts = append(posts, replay.Post{Path: "/new_block", Body: []byte(broken)},
		replay.Post{Path: "/" + hostile, Body: []byte(`{"large":"` + strings.Repeat("x", 5_000_001) + `"}`)})
	replay.Append(t, s.events, posts...)
	replay.Wait(t, s.events)
	stop()
	s.broken, s.large = int64(len(posts))-1, int64(len(posts))

	key := must.Get(transparency.OpenKey(filepath.Join(t.TempDir(), "log.key"), "example.org/stacks"))(t)
	_, witness, err := note.GenerateKey(rand.Reader, "example.org/witness")
	must.Do(t, err)
	s.signer = must.Get(transparency.New(transparency.Config{Pool: s.events.Pool(), Key: key, Witnesses: []string{witness}}))(t)
	s.sign(t)
	s.Site = apitest.NewSiteOn(t, s.events.Pool(), readapi.Config{Log: apitest.ShownLog{Log: s.signer}, PublicInternals: true, Nodes: func() []readapi.NodeStatus {
		since := time.Now().Add(-time.Hour)
		return []readapi.NodeStatus{
			{Name: "near", URL: "http://127.0.0.1:1", State: "serving", Since: since, Height: 1234567, BurnHeight: 9, InFlight: 3},
			{Name: "far", URL: "http://127.0.0.1:2", State: "lagging", Since: since, Height: 1234560, BurnHeight: 9, Lag: 7, Error: hostile},
		}
	}})
	must.Do(t, s.Pool.QueryRow(t.Context(), schemas.In(`SELECT account FROM {balances}.ledger WHERE asset = 'stx' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`)).Scan(&s.principal))
	// A version that is half built, and one that has failed.
	s.Exec(schemas.In(`INSERT INTO strata.projection (name, version, input, state, position, rate, throttle)
		SELECT 'balances', {balances#+1}, '{chain}', 'building', max(step) / 2, 50, 20 FROM {chain}.step`))
	s.Exec(schemas.In(`INSERT INTO strata.projection (name, version, input, state, error, error_position, error_at) VALUES ('balances', {balances#+2}, '{chain}', 'failed', $1, 1, now())`), hostile)

	server := httptest.NewServer(s)
	pgtest.AtEnd(t, server.Close)
	s.url = server.URL
	return s
}

func (s *consoleSite) sign(t testing.TB) {
	t.Helper()
	if signed, err := s.signer.Sign(t.Context()); err != nil || !signed {
		t.Fatalf("sign: got %v (%v)", signed, err)
	}
}

// ServeHTTP answers as the API does, but for what is changed.
func (s *consoleSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	change := s.change.Load()
	if change == nil {
		s.API.ServeHTTP(w, r)
		return
	}
	r.Header.Del("Accept-Encoding")
	recorder := httptest.NewRecorder()
	s.API.ServeHTTP(recorder, r)
	status, body := (*change)(r.URL.Path, recorder.Code, recorder.Body.Bytes())
	for name, values := range recorder.Header() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// changed changes the answers at a path while something is done.
func (s *consoleSite) changed(path string, change func(status int, body []byte) (int, []byte), while func()) {
	f := func(at string, status int, body []byte) (int, []byte) {
		if at != path {
			return status, body
		}
		return change(status, bytes.Clone(body))
	}
	s.change.Store(&f)
	defer s.change.Store(nil)
	while()
}

// blockAt is the index block hash at a height.
func (s *consoleSite) blockAt(height int) (id hash.Hash32) {
	s.T.Helper()
	must.Do(s.T, s.Pool.QueryRow(s.T.Context(), schemas.In(`SELECT b.index_block_hash FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq WHERE c.height = $1`), height).Scan(&id))
	return id
}

// blockEvent is the event of a block.
func (s *consoleSite) blockEvent() (seq int64) {
	s.T.Helper()
	must.Do(s.T, s.Pool.QueryRow(s.T.Context(), schemas.In(`SELECT block_seq FROM {chain}.canonical WHERE height = 5`)).Scan(&seq))
	return seq
}
