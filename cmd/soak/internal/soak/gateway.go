package soak

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"strata/internal/pause"
	"strata/internal/testkit/outside"
)

// gateway is an IPFS gateway of documents about tokens, like those that strangers run: many of its answers are late, wrong or none.
type gateway struct {
	world    *outside.World
	server   *httptest.Server
	well     atomic.Bool // it answers as it should, from the end of the load on
	requests atomic.Int64
}

// garbage is what the gateway answers instead of a document.
const garbage = "<html><title>Welcome to nginx!</title></html>"

// circle is the query of requests that are redirected again and again.
const circle = "circle"

func newGateway(world *outside.World) *gateway {
	g := &gateway{world: world}
	g.server = httptest.NewServer(g)
	return g
}

// ServeHTTP implements http.Handler. Of twelve requests, seven are answered well, and one of these late. Sometimes, it asks for a pause,
// in which it gets no requests.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := g.requests.Add(1)
	kind := n % 12
	switch {
	case g.well.Load():
		kind = 0
	case r.URL.Query().Has(circle):
		kind = 11
	}
	switch kind {
	case 2:
		http.Error(w, "try later", http.StatusInternalServerError)
		return
	case 4:
		http.NotFound(w, r)
		return
	case 5:
		_, _ = io.WriteString(w, garbage)
		return
	case 7:
		w.Header().Set("Content-Length", "1000000")
		_, _ = io.WriteString(w, `{"name":`)
		panic(http.ErrAbortHandler) // the connection breaks in the middle of the body
	case 11:
		http.Redirect(w, r, r.URL.Path+"?"+circle, http.StatusFound)
		return
	case 9:
		if n%5 == 0 {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
	case 6:
		pause.For(r.Context(), time.Second)
	}
	g.world.ServeHTTP(w, r)
}

// documentOf returns the document that a URI leads to.
func documentOf(uri string) ([]byte, error) {
	name, ok := strings.CutSuffix(uri[strings.LastIndexByte(uri, '/')+1:], ".json")
	if !ok {
		return nil, fmt.Errorf("%s is no URI that contracts have named", uri)
	}
	return outside.Document(name), nil
}
