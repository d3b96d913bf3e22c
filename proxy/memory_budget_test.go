package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// A client that does not read its answer keeps no seat at the node once the node is done.
func TestSlowReadersKeepNoSeat(t *testing.T) {
	t.Parallel()
	node := newNode(t, 10)
	long := bytes.Repeat([]byte("0123456789abcdef"), 5*BufferMax/16)
	node.respond(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "announced" {
			w.Header().Set("Content-Length", fmt.Sprint(len(long)))
		}
		_, _ = w.Write(long)
	})
	p := startProxy(t, Config{ConcurrencyPerNode: 1}, node)
	for _, how := range []string{"announced", "chunked"} {
		conn, before := p.dial(t), node.requests.Load()
		must.Get(io.WriteString(conn, "GET /v3/blocks/x?"+how+" HTTP/1.1\r\nHost: x\r\n\r\n"))(t)
		eventually.Holds(t, how+": the node has the request, and the seat is free", func() bool {
			return node.requests.Load() > before && p.Nodes()[0].InFlight == 0
		})
		response := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
		got, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !bytes.Equal(got, long) {
			t.Errorf("%s: got %d bytes, %v; want %d", how, len(got), err, len(long))
		}
	}
}

// The bodies of requests share a budget; small ones don't count, and what a request has taken comes back.
func TestBodiesShareABudget(t *testing.T) {
	t.Parallel()
	node := newNode(t, 10)
	p := startProxy(t, Config{}, node)
	if !p.memory.bodies.TryAcquire(bodiesMemory) {
		t.Fatal("some of the budget is taken before there is a request")
	}
	large, small := strings.Repeat("x", 8*bodyFree), strings.Repeat("x", bodyFree)
	p.do(t, http.MethodPost, "/v2/contracts/call-read/a/b/c", small).want(t, http.StatusOK, `"method":"POST"`)
	refused := p.do(t, http.MethodPost, "/v2/contracts/call-read/a/b/c", large)
	refused.want(t, http.StatusServiceUnavailable, "bodies")
	if refused.header.Get("Retry-After") == "" {
		t.Error("the refusal does not say when to come again")
	}
	p.memory.bodies.Release(bodiesMemory)
	for range 3 * bodiesMemory / len(large) / 50 {
		p.do(t, http.MethodPost, "/v2/contracts/call-read/a/b/c", large).want(t, http.StatusOK, large)
	}
	eventually.Holds(t, "the budget is whole again", func() bool {
		if !p.memory.bodies.TryAcquire(bodiesMemory) {
			return false
		}
		p.memory.bodies.Release(bodiesMemory)
		return true
	})
}
