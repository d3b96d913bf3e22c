package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/redistest"
)

// Two servers share a database and a Redis: one finds the answers that the other has cached. Clients do not notice when
// Redis stops.
func TestSharedRedis(t *testing.T) {
	t.Parallel()
	redis, database := redistest.New(t), served.URL(t)
	var servers [2]*server
	for i := range servers {
		s := start(t, command(t, t.TempDir(), []string{"STRATA_REDIS_URL=" + redis.URL(), "STRATA_DATABASE_URL=" + database},
			"serve", "--api-addr", "127.0.0.1:0", "--observer-addr", "127.0.0.1:0", "--log-format", "json", "--public-internals"))
		s.api = s.announced("serving the API")
		servers[i] = s
	}
	n := 0
	ask := func() {
		n++
		for _, s := range servers {
			for _, path := range []string{fmt.Sprintf("/extended/v2/blocks/%d", n), "/extended/v1/address/SP000000000000000000002Q6VF78/stx", "/extended"} {
				if got := s.get(path); got.Status != http.StatusOK && got.Status != http.StatusNotFound {
					t.Fatalf("%s: got %d %s", path, got.Status, got.Body)
				}
			}
		}
	}
	found := regexp.MustCompile(`(?m)^strata_cache_hits_total\{tier="redis"\} [1-9]`)
	eventually.Holds(t, "one server finds in Redis what the other has cached", func() bool {
		ask()
		return found.Match(servers[1].get("/metrics").Body)
	})
	redis.Stop()
	for range 50 {
		ask()
	}
	eventually.Holds(t, "the log says so", func() bool { return strings.Contains(servers[1].log.String(), "Redis can't be") })
}

func TestWrongRedisURL(t *testing.T) {
	t.Parallel()
	got := run(t, t.TempDir(), "serve", "--api-addr", "127.0.0.1:0", "--observer-addr", "127.0.0.1:0", "--database-url", pgtest.URL(t), "--redis-url", "http://me:secret@127.0.0.1")
	if got.code == 0 || !strings.Contains(got.stderr, "--redis-url") || strings.Contains(got.stderr, "secret") {
		t.Errorf("got code %d and %q, want an error that names the flag and not the password", got.code, got.stderr)
	}
}
