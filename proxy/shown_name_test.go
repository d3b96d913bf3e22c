package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// Clients know nodes whose names are hidden by their numbers alone.
func TestHiddenNames(t *testing.T) {
	t.Parallel()
	one, two := newNode(t, 100), newNode(t, 100)
	p := startProxy(t, Config{HideNames: true}, one, two)
	for number, n := range map[string]*fakeNode{"1": one, "2": two} {
		before := n.requests.Load()
		got := p.do(t, http.MethodGet, "/v3/health", "", nodeHeader, number)
		if got.status != http.StatusOK || got.node() != number || n.requests.Load() != before+1 {
			t.Errorf("node %s: got %d of node %q", number, got.status, got.node())
		}
	}
	for _, name := range []string{one.name, two.name, "0", "3", "-1", "x"} {
		if got := p.do(t, http.MethodGet, "/v3/health", "", nodeHeader, name); got.status != http.StatusBadRequest {
			t.Errorf("node %s: got %d of node %q", name, got.status, got.node())
		}
	}
	one.stop()
	two.stop()
	p.untilState(t, one, "down")
	p.untilState(t, two, "down")
	got := p.get(t, "/v2/pox")
	if got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, `"name":"1","state":"down"`) || !strings.Contains(got.body, `"name":"2"`) ||
		strings.Contains(got.body, one.address) {
		t.Errorf("got %d %s", got.status, got.body)
	}
}
