package proxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"strata/cmd/bench/internal/load"
	"strata/internal/testkit/must"
)

// TestSyntheticNode checks that the load generator accepts the node's answers, one after the other on each connection.
func TestSyntheticNode(t *testing.T) {
	n := newSyntheticNode()
	address, stop, err := n.listen()
	if err != nil {
		t.Fatal(err)
	}
	defer stop() //nolint:errcheck // it serves nobody else
	r := must.Get(load.NewContender(t.Context(), address, load.Distinct(accountBefore, accountAfter))(2, 20*time.Millisecond))(t)
	if got := n.requests.Load(); got == 0 || int(got) != r.Requests() {
		t.Errorf("the node counted %d requests, want %d", got, r.Requests())
	}
}

// TestRefusalsFail checks that answers with an error are no rate.
func TestRefusalsFail(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	contend := load.NewContender(t.Context(), strings.TrimPrefix(server.URL, "http://"), load.Distinct(accountBefore, accountAfter))
	if _, err := contend(1, time.Second); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v, want an error about the status 404", err)
	}
}
