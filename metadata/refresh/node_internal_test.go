package refresh

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"strata/domain/fetch"
)

const (
	tokenInterface = `{"fungible_tokens":[{"name":"coin"}],"non_fungible_tokens":[],"functions":[
		{"name":"transfer","access":"public","args":[{"name":"a","type":"uint128"},{"name":"s","type":"principal"},{"name":"r","type":"principal"},{"name":"m","type":{"optional":{"buffer":{"length":34}}}}],"outputs":{"type":"bool"}},
		{"name":"get-name","access":"read_only","args":[],"outputs":{"type":"bool"}},
		{"name":"get-symbol","access":"read_only","args":[],"outputs":{"type":"bool"}},
		{"name":"get-decimals","access":"read_only","args":[],"outputs":{"type":"bool"}},
		{"name":"get-balance","access":"read_only","args":[{"name":"a","type":"principal"}],"outputs":{"type":"bool"}},
		{"name":"get-total-supply","access":"read_only","args":[],"outputs":{"type":"bool"}},
		{"name":"get-token-uri","access":"read_only","args":[],"outputs":{"type":"bool"}}]}`
	otherInterface = `{"fungible_tokens":[],"non_fungible_tokens":[],"functions":[]}`
)

// The first node that answers says whether a contract exists, and whether it is a token contract. A node that is down, or that
// answers something else, says nothing.
func TestAskNodes(t *testing.T) {
	t.Parallel()
	const contract = "SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.coin"
	node := func(status int, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if want := "/v2/contracts/interface/SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS/coin"; r.URL.Path != want {
				t.Errorf("asked for %s, want %s", r.URL.Path, want)
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	down := node(200, "")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tc := range []struct {
		name  string
		nodes []string
		want  error
	}{
		{"no node", nil, fetch.ErrNoContract},
		{"a node without it", []string{node(404, "")}, fetch.ErrNoContract},
		{"a token contract", []string{node(200, tokenInterface)}, fetch.ErrNoDeploy},
		{"another contract", []string{node(200, otherInterface) + "/"}, fetch.ErrNoTokens},
		{"nodes that say nothing", []string{gone.URL, node(500, tokenInterface), node(200, "{}"), down}, fetch.ErrNoContract},
		{"the next node", []string{gone.URL, node(502, ""), node(200, tokenInterface), node(404, "")}, fetch.ErrNoDeploy},
	} {
		if err := (Refresher{Nodes: tc.nodes}).askNodes(t.Context(), contract); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
	}
}
