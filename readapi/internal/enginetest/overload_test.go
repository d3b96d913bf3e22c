package enginetest

import (
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/readapi"
	"strata/rig/apitest"
)

// While other requests have all connections, cached answers are served, the state is followed, and answers that clients
// ask for again and again are built anew. Requests that nobody else makes wait, and are told when to come again.
func TestOverload(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	config := s.Pool.Config()
	config.MaxConns = 2
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	pgtest.AtEnd(t, pool.Close)
	k := apitest.NewKeeper(t, pool, readapi.Config{ColdReads: 1})
	const hot = "/extended/v2/blocks?limit=5"
	for range 3 {
		k.Get(hot)
	}
	held := pool.AcquireAllIdle(t.Context())
	for len(held) < int(config.MaxConns) {
		conn := must.Get(pool.Acquire(t.Context()))(t)
		held = append(held, conn)
	}

	before := k.Get(hot)
	s.Advance("chain")
	eventually.Holds(t, "the hot target is built anew over connections of its own", func() bool {
		got := k.Get(hot)
		if got.Status != http.StatusOK {
			t.Fatalf("got %d %s, want the cached answer or a new one", got.Status, got.Body)
		}
		return got.Header.Get("Strata-Position") != before.Header.Get("Strata-Position")
	})

	others := make(chan apitest.Reply, 2)
	for _, target := range []string{"/extended/v2/blocks?limit=6", "/extended/v2/blocks?limit=8"} {
		go func() { others <- k.Get(target) }()
	}
	eventually.Holds(t, "one other read waits for a connection, and the next one for its turn", func() bool {
		return k.Metric("strata_api_reads_waiting", "gate", "cold") == 1
	})
	const late = "/extended/v2/blocks?limit=7"
	if got := k.Get(late); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "1" {
		t.Errorf("whose turn does not come: got %d %s with Retry-After %q, want 503 and 1", got.Status, got.Body, got.Header.Get("Retry-After"))
	}
	if got := k.Metric("strata_api_reads_refused_total", "gate", "cold"); got == 0 {
		t.Error("no refusal is counted")
	}
	for _, conn := range held {
		conn.Release()
	}
	for range cap(others) {
		if got := eventually.Receive(t, "the others are answered", others); got.Status != http.StatusOK && got.Status != http.StatusServiceUnavailable {
			t.Errorf("another read: got %d %s", got.Status, got.Body)
		}
	}
	k.ExpectTexts(late, http.StatusOK)
}

// While the database is away, cached answers are served, with the position that they are right for.
func TestLastKnownState(t *testing.T) {
	t.Parallel()
	server := pgtest.Dedicated(t)
	must.Do(t, migrations.Up(t.Context(), server.URL()))
	k := apitest.NewKeeper(t, server.New(t), readapi.Config{RequestTimeout: 3 * time.Second})
	k.Projection("chain", "log")
	const known = "/audit/v1/quarantine"
	eventually.Holds(t, "the answer is cached", func() bool {
		before := k.Reads()
		got := k.Get(known)
		return got.Status == http.StatusOK && k.Reads() == before
	})
	before := k.Get(known)
	server.Stop(t)
	eventually.Holds(t, "the state is not confirmed any more", func() bool { return k.API.Watch.State(time.Now()) == nil })
	if got := k.Get(known); got.Status != http.StatusOK || got.Body != before.Body || got.Header.Get("Strata-Position") != before.Header.Get("Strata-Position") {
		t.Errorf("a cached answer: got %d %s at %q, want that of before", got.Status, got.Body, got.Header.Get("Strata-Position"))
	}
	if got := k.Get("/audit/v1/quarantine?limit=3"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("another answer: got %d %s, want 503", got.Status, got.Body)
	}
	server.Start(t)
	eventually.Holds(t, "other answers are there again", func() bool { return k.Get("/audit/v1/quarantine?limit=4").Status == http.StatusOK })
}
