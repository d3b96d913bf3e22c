package main

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// nobody returns an address at which nothing listens.
func nobody(t testing.TB) string {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// The API tells strangers neither where the nodes are, nor how they are called, nor what has gone wrong with them and the
// projections. Operators see it at the addresses for administration and metrics, and everybody with --public-internals.
func TestStrangersSeeNoInternals(t *testing.T) {
	t.Parallel()
	url, node := pgtest.URL(t), nobody(t)
	flags := []string{"--roles", "api", "--database-url", url, "--nodes", "inside-name=http://" + node + ",http://localhost" + node[strings.LastIndex(node, ":"):]}
	s := startAPI(t, append(flags, "--admin-addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0")...)
	execute(t, url,
		`INSERT INTO strata.projection (name, version, input, state, error, error_position, error_at) VALUES ('brc20', 1, 'log', 'failed', 'inside-error', 1, now())`,
		`INSERT INTO strata.active (name, version) VALUES ('brc20', 1)`)
	admin := s.announced("serving the administration API")
	whole := map[string][]string{
		"/proxy/v1/nodes":       {"inside-name", node, "refused"},
		"/readyz?for=brc20":     {"inside-error"},
		"/audit/v1/projections": {"inside-error"},
		"/metrics":              {"inside-name", "go_goroutines"},
	}
	sees := func(base string) func() bool {
		return func() bool {
			for path, wants := range whole {
				got := string(do(t, http.MethodGet, base+path, nil, nil).Body)
				for _, want := range wants {
					if !strings.Contains(got, want) {
						return false
					}
				}
			}
			return true
		}
	}
	eventually.Holds(t, "operators see everything", sees(admin))
	for path, want := range map[string]string{
		"/proxy/v1/nodes": `"name":"2"`, "/readyz?for=brc20": "it has stopped", "/audit/v1/projections": "it has stopped", "/metrics": "metrics are for operators",
		"/v2/info": `"name":"1","state":"down"`, "/v3/health": "", "/v2/accounts/SP000000000000000000002Q6VF78": "", "/extended": `"failed"`, "/healthz": "ok",
		"/mesh/network/list": "", "/audit/v1/quarantine": "", "/v1/namespaces": "", "/console": "", "/": "",
	} {
		got := s.ask(http.MethodGet, path, "", "")
		everything := string(got.Body)
		for name, values := range got.Header {
			everything += name + ": " + strings.Join(values, ", ") + "\n"
		}
		if !strings.Contains(everything, want) {
			t.Errorf("%s: got %d %s, want %s in it", path, got.Status, everything, want)
		}
		for _, secret := range []string{"inside-name", "inside-error", node, "localhost:", "refused", "go_goroutines", url} {
			if strings.Contains(everything, secret) {
				t.Errorf("%s: got %d %s, which tells %s", path, got.Status, everything, secret)
			}
		}
	}
	open := startAPI(t, append(flags, "--public-internals")...)
	eventually.Holds(t, "everybody sees everything", sees(open.api))
}

// startAPI starts a server that may have no observer.
func startAPI(t testing.TB, args ...string) *server {
	t.Helper()
	s := start(t, command(t, t.TempDir(), nil, append([]string{"serve", "--api-addr", "127.0.0.1:0", "--log-format", "json"}, args...)...))
	s.api = s.announced("serving the API")
	return s
}
