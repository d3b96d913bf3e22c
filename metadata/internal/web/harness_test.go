package web_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
	"strata/metadata/internal/web"
)

const limit = 1_000_000

// server counts connections and requests, to distinguish a refused request from one without an answer.
type server struct {
	*httptest.Server
	connections atomic.Int32
	requests    atomic.Int32
}

// serve starts a server on loopback.
func serve(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := prepare(handler)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// prepare returns a server that is not started yet.
func prepare(handler http.HandlerFunc) *server {
	s := new(server)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handler(w, r)
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	return s
}

func (s *server) hostPort() string { return s.Listener.Addr().String() }

func (s *server) port() string {
	_, port, _ := net.SplitHostPort(s.hostPort())
	return port
}

// newClient returns a client with a valid configuration.
func newClient(t *testing.T, config web.Config) *web.Client {
	t.Helper()
	must.Do(t, config.Validate())
	c := web.New(config)
	t.Cleanup(c.Close)
	return c
}

// allowAll returns a configuration that allows requests to loopback addresses.
func allowAll() web.Config { return web.Config{AllowPrivate: true} }

func direct(urls ...string) []web.Candidate {
	var candidates []web.Candidate
	for _, u := range urls {
		candidates = append(candidates, web.Candidate{URL: u})
	}
	return candidates
}

// viaGateways returns candidates for the same path at several gateways.
func viaGateways(path string, gateways ...string) []web.Candidate {
	var candidates []web.Candidate
	for _, gateway := range gateways {
		candidates = append(candidates, web.Candidate{URL: gateway + path, Gateway: gateway})
	}
	return candidates
}

// getOne fetches from a single URL, and fails the test unless there is one exchange.
func getOne(t *testing.T, c *web.Client, address string) fetch.Exchange {
	t.Helper()
	exchanges := c.Get(t.Context(), direct(address), limit, "*/*", anything)
	if len(exchanges) != 1 {
		t.Fatalf("got %d exchanges for %s, want 1", len(exchanges), address)
	}
	return exchanges[0]
}

func wantBody(t *testing.T, e fetch.Exchange, body string) {
	t.Helper()
	if e.Status != http.StatusOK || e.Failure != "" || string(e.Body) != body {
		t.Fatalf("got status %d, failure %q (%s), body %.40q; want 200 and %q", e.Status, e.Failure, e.Error, e.Body, body)
	}
}

func wantFailure(t *testing.T, e fetch.Exchange, failure fetch.Failure, text string) {
	t.Helper()
	if e.Failure != failure || !strings.Contains(e.Error, text) {
		t.Fatalf("got failure %q (%s) with status %d; want %q saying %q", e.Failure, e.Error, e.Status, failure, text)
	}
	if e.Body != nil {
		t.Fatalf("a failed exchange has the body %.40q", e.Body)
	}
}

// answer returns a handler that always gives the same answer.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

// rawAnswer returns a handler that answers with the bytes that write writes, which need not be HTTP.
func rawAnswer(t *testing.T, write func(net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		write(conn)
	}
}

// untilClientLeaves blocks a handler until the client has left.
func untilClientLeaves(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(2 * time.Minute):
	}
}

// fakeResolver is a resolver with fixed answers. Each lookup of a name returns the next of its answers, and then the
// last one again and again.
type fakeResolver struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
	lookups int
}

func (n *fakeResolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lookups++
	list, ok := n.answers[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "192.0.2.53:53", IsNotFound: true}
	}
	if len(list) > 1 {
		n.answers[host] = list[1:]
	}
	return list[0], nil
}

func resolving(host string, answers ...[]netip.Addr) *fakeResolver {
	return &fakeResolver{answers: map[string][][]netip.Addr{host: answers}}
}

func ips(list ...string) []netip.Addr {
	addresses := make([]netip.Addr, 0, len(list))
	for _, s := range list {
		addresses = append(addresses, netip.MustParseAddr(s))
	}
	return addresses
}

// clock is a clock that stands still until it is advanced.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Now()} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// anything is a check that every body passes.
func anything(*fetch.Exchange) bool { return true }
