package readapi_test

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/c32"
	"strata/internal/testkit/pgtest"
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
//
// While the state of the projections is known anyway, it costs one.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	pool, connection := countedPool(t, s.pool, func(*pgxpool.Config) {})
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
		got := connection.least(3, func(int) {
			if got := counted.get(tc.path); got.status != http.StatusOK {
				t.Errorf("%s: got %d %s", tc.path, got.status, got.body)
			}
		})
		if got != tc.want {
			t.Errorf("%s: got %d round trips, want %d", tc.path, got, tc.want)
		}
	}
}

// While the state is known, a read costs one round trip; where the connections don't isolate what is sent together, it
// still sees one snapshot.
func TestRoundTripsOfKnownState(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	for _, prepared := range []bool{true, false} {
		pool, connection := countedPool(t, s.pool, func(config *pgxpool.Config) {
			if prepared {
				readapi.Prepare(config, 0)
			}
		})
		k := newKeeper(t, pool, readapi.Config{WatchInterval: watchRarely})
		for i, path := range []string{
			"/extended/v1/address/%s/stx", "/extended/v1/address/%s/balances", "/extended/v1/address/%s/stx?until_block=20",
			"/extended/v1/address/%s/stx?until_block=" + id(indexHash, 20).String(),
		} {
			k.get(fmt.Sprintf(path, alice)) // prepares the statements
			accounts := []string{bob, carol, account(9), account(10), account(11), account(12), account(13), account(14)}
			got := connection.least(len(accounts), func(n int) {
				path := fmt.Sprintf(path, accounts[n])
				want := s.get(path)
				if got := k.get(path); got.status != want.status || got.body != want.body || got.header.Get("Strata-Position") != want.header.Get("Strata-Position") {
					t.Errorf("%s: got %d %s, want %d %s", path, got.status, got.body, want.status, want.body)
				}
			})
			trips := 1
			if i == 3 {
				trips++ // names a block by a hash
			}
			if !prepared {
				trips++
			}
			if got != trips {
				t.Errorf("prepared=%t, %s: got %d round trips, want %d", prepared, path, got, trips)
			}
		}
	}
}

// countedPool is a pool of one connection to the database of another one, whose round trips are counted.
func countedPool(t testing.TB, of *pgxpool.Pool, prepare func(*pgxpool.Config)) (*pgxpool.Pool, *turns) {
	t.Helper()
	config, err := pgxpool.ParseConfig(of.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	prepare(config)
	counted := &turns{}
	config.MaxConns = 1
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		counted.Conn = conn
		return counted, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	pgtest.AtEnd(t, pool.Close)
	return pool, counted
}

func (c *turns) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// during is how many round trips there are while read reads.
func (c *turns) during(read func()) int {
	before := c.count()
	read()
	return c.count() - before
}

// least is how many round trips a read takes: the fewest of several, as others may come in between on a busy machine. The
// watch looks, and the pool asks a connection that has been idle for long whether it is alive.
func (c *turns) least(reads int, read func(n int)) int {
	least := math.MaxInt
	for n := range reads {
		least = min(least, c.during(func() { read(n) }))
	}
	return least
}

// watchRarely is an interval at which the watch hardly ever looks while something is counted, and yet often enough for what it
// has seen to stay known.
const watchRarely = 500 * time.Millisecond

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

// BenchmarkCold makes answers that nobody has asked for before.
func BenchmarkCold(b *testing.B) {
	s := newWorld(b)
	k := newKeeper(b, readers(b, s.pool), readapi.Config{})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		w := httptest.NewRecorder()
		target := "/extended/v1/address/" + c32.Address{Version: c32.MainnetSingle, Hash160: [20]byte{17: byte(n >> 16), 18: byte(n >> 8), 19: byte(n)}}.String() + "/stx"
		k.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}
