package rosetta_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/mempool"
	folded "strata/projections/rosetta"
	"strata/readapi"
	"strata/readapi/rosetta"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// fold appends posts to the log and folds them into everything that the standard's answers are read from.
func fold(t testing.TB, log *eventstore.Log, posts ...replay.Post) {
	t.Helper()
	replay.Append(t, log, posts...)
	canonical := must.Get(chain.New(chain.Recommended, nil))(t)
	replay.Run(t, log, canonical, balances.New(nil), accounts.New(), mempool.New(), folded.New())
}

// site is an API with the standard's operations, asked in one dialect.
type site struct {
	testing.TB
	handler http.Handler
	prefix  string
	network string
}

// newSite returns an API on the database of a log.
func newSite(t testing.TB, log *eventstore.Log, network, prefix string, config rosetta.Config) *site {
	t.Helper()
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: network, Rosetta: config})
	return &site{t, s.API, prefix, network}
}

// post sends a request, to which it adds the network, and returns the status and the body.
func (s *site) post(path string, request map[string]any) (int, []byte) {
	s.Helper()
	if _, ok := request["network_identifier"]; !ok && request != nil {
		request["network_identifier"] = map[string]any{"blockchain": "stacks", "network": s.network}
	}
	body, err := json.Marshal(request)
	if err != nil {
		s.Fatal(err)
	}
	r := httptest.NewRequestWithContext(s.Context(), http.MethodPost, s.prefix+path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w.Code, w.Body.Bytes()
}

// ask returns the answer to a request, which must not fail.
func ask[T any](s *site, path string, request map[string]any) *T {
	s.Helper()
	status, body := s.post(path, request)
	if status != http.StatusOK {
		s.Fatalf("%s %v: got %d %s", path, request, status, body)
	}
	answer := new(T)
	if err := json.Unmarshal(body, answer); err != nil {
		s.Fatalf("%s %v: %v in %s", path, request, err, body)
	}
	return answer
}

// failure returns the code of the error to a request, which must fail with one of the standard.
func (s *site) failure(path string, request map[string]any) int {
	s.Helper()
	status, body := s.post(path, request)
	var failed struct {
		Code    int
		Message string
	}
	if err := json.Unmarshal(body, &failed); err != nil || status != http.StatusInternalServerError || failed.Message == "" {
		s.Errorf("%s %v: got %d %s, want an error of the standard", path, request, status, body)
	}
	return failed.Code
}

func at(index int64) map[string]any {
	return map[string]any{"block_identifier": map[string]any{"index": index}}
}

func named(text string) map[string]any { return map[string]any{"hash": text} }
