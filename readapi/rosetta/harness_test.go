package rosetta_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
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
	replay.Run(t, log, apitest.NewChain(t), everything()...)
}

// everything is what the standard's answers are read from, besides the chain.
func everything() []projections.Projection[projections.Step] {
	return []projections.Projection[projections.Step]{balances.New(nil), accounts.New(), mempool.New(), folded.New()}
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

// sitesOf returns APIs on what a node posted, one for each dialect.
func sitesOf(t testing.TB, posts ...replay.Post) (legacy, mesh *site) {
	t.Helper()
	log := replay.NewLog(t)
	fold(t, log, posts...)
	return newSite(t, log, "testnet", rosetta.LegacyPath, rosetta.Config{}), newSite(t, log, "testnet", rosetta.MeshPath, rosetta.Config{})
}

// served returns the URL of a server that ends with the test.
func served(t testing.TB, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// post sends a request, to which it adds the network, and returns the status and the body.
func (s *site) post(path string, request map[string]any) (int, []byte) {
	s.Helper()
	if _, ok := request["network_identifier"]; !ok && request != nil {
		request["network_identifier"] = map[string]any{"blockchain": "stacks", "network": s.network}
	}
	body := must.Get(json.Marshal(request))(s)
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

// at is a request about a block, with further members.
func at(index int64, more ...any) map[string]any {
	return with(map[string]any{"block_identifier": map[string]any{"index": index}}, more...)
}

// with adds members to a request, by turns their names and values.
func with(request map[string]any, more ...any) map[string]any {
	for i := 0; i+1 < len(more); i += 2 {
		request[more[i].(string)] = more[i+1] //nolint:forcetypeassert // the test's own
	}
	return request
}

func named(text string) map[string]any { return map[string]any{"hash": text} }
