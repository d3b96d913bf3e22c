package main

import (
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/short"
)

// The administration API listens on the given address, and refuses one that other machines can reach without a token.
func TestAdministration(t *testing.T) {
	short.Skip(t, "starts several servers")
	t.Parallel()
	url := served.URL(t)
	for _, tc := range []struct{ address, want string }{
		{"0.0.0.0:0", "set a token"},
		{":0", "set a token"},
		{"nonsense", "not an address to listen on"},
		{taken(t), "choose another address with --admin-addr"},
	} {
		got := run(t, t.TempDir(), "serve", "--database-url", url, "--api-addr", "127.0.0.1:0", "--observer-addr", "127.0.0.1:0", "--admin-addr", tc.address)
		if got.code != exitFailure || !strings.Contains(got.stderr, tc.want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: got code %d and %q, want %q", tc.address, got.code, got.stderr, tc.want)
		}
	}
	s := startServer(t, t.TempDir(), "--database-url", url, "--admin-addr", "127.0.0.1:0", "--admin-token", "secret")
	admin := s.announced("serving the administration API")
	bearer := http.Header{"Authorization": {"Bearer secret"}}
	for _, path := range []string{"/admin/v1/projections", "/openapi.json", "/extended/v1/status", "/debug/pprof/goroutine?debug=1"} {
		if got := do(t, http.MethodGet, admin+path, nil, nil); got.Status != http.StatusUnauthorized {
			t.Errorf("%s without the token: got %d %s", path, got.Status, got.Body)
		}
		if got := do(t, http.MethodGet, admin+path, bearer, nil); got.Status != http.StatusOK {
			t.Errorf("%s: got %d %s", path, got.Status, got.Body)
		}
	}
	for _, path := range []string{"/admin/v1/projections", "/debug/pprof/"} {
		if got := s.get(path); got.Status != http.StatusNotFound {
			t.Errorf("%s on the address of the API: got %d %s", path, got.Status, got.Body)
		}
	}
	if got := do(t, http.MethodGet, admin+"/debug/pprof/cmdline", bearer, nil); got.Status != http.StatusNotFound {
		t.Errorf("the command line, which may have secrets: got %d", got.Status)
	}
	// A projector without the API serves administration too, but no reads.
	projector := start(t, command(t, t.TempDir(), nil, "serve", "--roles", "projector", "--database-url", url, "--log-format", "json", "--admin-addr", "127.0.0.1:0"))
	admin = projector.announced("serving the administration API")
	if got := do(t, http.MethodGet, admin+"/admin/v1/projections/ft", nil, nil); got.Status != http.StatusOK {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	if got := do(t, http.MethodGet, admin+"/extended/v1/status", nil, nil); got.Status != http.StatusNotFound {
		t.Errorf("reads: got %d %s", got.Status, got.Body)
	}
}
