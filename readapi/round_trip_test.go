package readapi_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/replay"
	"strata/readapi"
)

// turns counts how often a connection goes from writing to reading: the round trips.
type turns struct {
	net.Conn
	mu      sync.Mutex
	writing bool
	n       int
}

func (c *turns) Write(b []byte) (int, error) {
	c.mu.Lock()
	if !c.writing {
		c.writing = true
		c.n++
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

func (c *turns) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	c.writing = false
	c.mu.Unlock()
	return n, err
}

// A cold read costs two round trips: one that begins the snapshot and resolves the versions, and one for all queries and
// the end. Only what names a block by a hash, to look at the state there or to page from it, takes a third.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	config, err := pgxpool.ParseConfig(replay.Databases.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	var connection *turns
	config.MaxConns = 1
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		connection = &turns{Conn: conn}
		return connection, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	counted := newSiteOn(s.t, pool, readapi.Config{})
	for _, tc := range []struct {
		path string
		want int
	}{
		{"/extended", 2},
		{"/extended/v2/blocks", 2},
		{"/extended/v2/blocks/latest", 2},
		{"/extended/v2/blocks?cursor=" + id(indexHash, 40).String(), 3},
		{"/extended/v1/address/" + alice + "/stx", 2},
		{"/extended/v1/address/" + alice + "/stx?until_block=20", 2},
		{"/extended/v1/address/" + alice + "/stx?until_block=" + id(indexHash, 20).String(), 3},
		{"/extended/v1/address/" + alice + "/balances", 2},
		{"/extended/v1/address/" + alice + "/balances?until_block=20", 2},
		{"/extended/v2/addresses/" + alice + "/balances/stx", 2},
		{"/audit/v1/events/2", 2},
		{"/audit/v1/events/2/body", 2},
		{"/audit/v1/quarantine", 2},
		{"/audit/v1/negative-balances", 2},
		{"/readyz", 2},
	} {
		counted.get(tc.path) // prepares the statements
		connection.mu.Lock()
		before := connection.n
		connection.mu.Unlock()
		if got := counted.get(tc.path); got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", tc.path, got.status, got.body)
		}
		connection.mu.Lock()
		got := connection.n - before
		connection.mu.Unlock()
		if got != tc.want {
			t.Errorf("%s: got %d round trips, want %d", tc.path, got, tc.want)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	s := newWorld(b)
	for _, bc := range []struct{ name, path string }{
		{"Health", "/healthz"},
		{"STX", "/extended/v1/address/" + alice + "/stx"},
		{"STXUntil", "/extended/v1/address/" + alice + "/stx?until_block=20"},
		{"Balances", "/extended/v1/address/" + alice + "/balances"},
		{"Blocks", "/extended/v2/blocks"},
		{"Block", "/extended/v2/blocks/latest"},
		{"Status", "/extended"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			request := httptest.NewRequest(http.MethodGet, bc.path, nil)
			for b.Loop() {
				w := httptest.NewRecorder()
				s.api.ServeHTTP(w, request)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
