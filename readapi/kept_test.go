package readapi_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/shard"
	"strata/internal/testkit/pgtest"
	"strata/readapi"
)

// keeper is an API that keeps its answers.
type keeper struct {
	*site
	registry *prometheus.Registry
	plain    *site // keeps nothing; made when it is needed
}

// newKeeper runs an API on a database. Its memory is on from the start.
func newKeeper(t testing.TB, pool *pgxpool.Pool, config readapi.Config) *keeper {
	t.Helper()
	k := &keeper{site: &site{t: t, pool: pool, log: &lockedBuffer{}}, registry: prometheus.NewRegistry()}
	config.Pool, config.Registry = pool, k.registry
	config.Logger = slog.New(slog.NewTextHandler(k.log, nil))
	config.Version = version
	if config.WatchInterval == 0 {
		config.WatchInterval = 5 * time.Millisecond
	}
	k.api = readapi.New(config)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.api.Run(ctx)
	}()
	pgtest.AtEnd(t, func() {
		stop()
		<-done
	})
	eventually(t, "the state is known", func() bool { return k.metric("strata_cache_state_changes_total") > 0 })
	return k
}

// metric is the sum of a metric over its labels.
func (k *keeper) metric(name string, labels ...string) (sum float64) {
	k.t.Helper()
	families, err := k.registry.Gather()
	if err != nil {
		k.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
	metrics:
		for _, m := range family.GetMetric() {
			for i := 0; i+1 < len(labels); i += 2 {
				found := false
				for _, l := range m.GetLabel() {
					found = found || l.GetName() == labels[i] && l.GetValue() == labels[i+1]
				}
				if !found {
					continue metrics
				}
			}
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

// reads is how many answers were made from the database.
func (k *keeper) reads() int { return int(k.metric("strata_cache_misses_total")) }

func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("it never happened that %s", what)
}

// advance moves a projection by one position, as a follower that applies a block does: shards of what it touches get
// the position; without any, everything counts as touched.
func (s *site) advance(projection string, touched ...string) {
	s.t.Helper()
	var shards []int32
	for _, name := range touched {
		shards = append(shards, shard.Of(name))
	}
	s.exec(`
		WITH moved AS (
			UPDATE strata.projection
			SET position = position + 1, log_seq = log_seq + 1, shards_from = CASE WHEN $2 THEN position + 1 ELSE shards_from END
			WHERE name = $1 AND version = (SELECT min(version) FROM strata.projection WHERE name = $1) RETURNING version, position
		)
		INSERT INTO strata.shard SELECT $1, version, touched, position FROM moved CROSS JOIN unnest($3::int[]) AS touched
		ON CONFLICT (name, version, shard) DO UPDATE SET position = excluded.position`, projection, len(touched) == 0, shards)
}

// seen waits until the keeper knows that a projection has come to the position that the database has.
func (k *keeper) seen(target string) {
	k.t.Helper()
	if k.plain == nil {
		k.plain = newSiteOn(k.t, k.pool, readapi.Config{})
	}
	want := k.plain.get(target).header.Get("Strata-Position")
	eventually(k.t, "the keeper sees "+want, func() bool { return k.get(target).header.Get("Strata-Position") == want })
}

func TestKept(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	k := newKeeper(t, s.pool, readapi.Config{})
	for _, target := range []string{
		"/extended",
		"/extended/v2/blocks?limit=5",
		"/extended/v2/blocks/40",
		"/extended/v2/blocks/latest",
		"/extended/v2/blocks/" + id(indexHash, 40).String(),
		"/extended/v1/address/" + alice + "/stx",
		"/extended/v1/address/" + alice + "/stx?until_block=20",
		"/extended/v1/address/" + alice + "/balances",
		"/extended/v2/addresses/" + alice + "/balances/stx",
		"/audit/v1/events/2",
		"/audit/v1/events/2/body",
		"/audit/v1/quarantine",
		"/audit/v1/negative-balances",
		// What is not there is kept as well.
		"/extended/v2/blocks/999",
		"/extended/v1/address/" + alice + "/stx?until_block=999",
		"/audit/v1/events/999",
	} {
		want, before := s.get(target), k.reads()
		for range 3 {
			got := k.get(target)
			if got.status != want.status || got.body != want.body {
				t.Errorf("%s: got %d %s, want %d %s", target, got.status, got.body, want.status, want.body)
			}
			for _, name := range []string{"Cache-Control", "Content-Type", "Strata-Position", "Strata-Source", "Warning", "Vary", "Content-Length"} {
				if got.header.Get(name) != want.header.Get(name) {
					t.Errorf("%s: got %s %q, want %q", target, name, got.header.Get(name), want.header.Get(name))
				}
			}
			if (got.header.Get("ETag") != "") != (got.status == http.StatusOK) {
				t.Errorf("%s: got %d with ETag %q", target, got.status, got.header.Get("ETag"))
			}
		}
		if got := k.reads() - before; got != 1 {
			t.Errorf("%s: got %d reads of the database, want 1", target, got)
		}
	}
}

// Requests that mean the same are one: an answer is kept once, whatever its target looks like.
func TestSameRequest(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	k := newKeeper(t, s.pool, readapi.Config{})
	tag := ""
	for _, target := range []string{
		"/extended/v2/blocks", "/extended/v2/blocks/", "/extended/v2/blocks?limit=20", "/extended/v2/blocks?offset=0&limit=20",
		"/extended/v2/blocks?x=1", "/extended/v2/blocks?limit=%32%30",
	} {
		for range 2 {
			got := k.get(target).header.Get("ETag")
			if tag == "" {
				tag = got
			}
			if got != tag || got == "" {
				t.Errorf("%s: got ETag %s, want %s", target, got, tag)
			}
		}
	}
	if got := k.reads(); got != 1 {
		t.Errorf("got %d reads of the database, want 1", got)
	}
	for _, target := range []string{"/extended/v2/blocks?limit=19", "/extended/v2/blocks?offset=1", "/extended/v2/blocks?cursor=" + id(indexHash, lastHeight).String()} {
		if got := k.get(target).header.Get("ETag"); got == tag {
			t.Errorf("%s: has the ETag of another page", target)
		}
	}
}

// A block changes the answers for what it touches, and no others.
func TestTouched(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	k := newKeeper(t, s.pool, readapi.Config{})
	path := func(account string) string { return "/extended/v1/address/" + account + "/stx" }
	aliceBefore, bobBefore := k.get(path(alice)), k.get(path(bob))
	s.change(5, 60, alice, "stx", "stx", 1, 746, 300, 1001, 5, 50)
	s.advance("balances", shard.Account(alice))
	k.seen(path(bob))
	reads := k.reads()
	bobAfter := k.get(path(bob))
	if got := k.reads() - reads; got != 0 || bobAfter.body != bobBefore.body || bobAfter.header.Get("ETag") != bobBefore.header.Get("ETag") {
		t.Errorf("bob, who is not touched: got %d reads and ETag %s, want none and %s", got, bobAfter.header.Get("ETag"), bobBefore.header.Get("ETag"))
	}
	if bobAfter.header.Get("Strata-Position") == bobBefore.header.Get("Strata-Position") {
		t.Errorf("bob: got position %q, want that of the new block", bobAfter.header.Get("Strata-Position"))
	}
	aliceAfter := k.get(path(alice))
	if !strings.Contains(aliceAfter.body, `"balance":"746"`) || aliceAfter.header.Get("ETag") == aliceBefore.header.Get("ETag") {
		t.Errorf("alice: got %s with ETag %s", aliceAfter.body, aliceAfter.header.Get("ETag"))
	}
	if got := k.request(http.MethodGet, path(alice), "If-None-Match", aliceBefore.header.Get("ETag")); got.status != http.StatusOK {
		t.Errorf("alice: got %d for the ETag of before, want 200", got.status)
	}

	// A batch of many blocks says nothing of what it touches.
	s.exec(`UPDATE balances_v1.holding SET balance = 299 WHERE account = $1`, bob)
	s.advance("balances")
	k.seen(path(bob))
	if got := k.get(path(bob)); !strings.Contains(got.body, `"balance":"299"`) {
		t.Errorf("bob: got %s", got.body)
	}
}

// A version that takes the number of an earlier one is another version.
func TestVersionOfTheSameNumber(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	k := newKeeper(t, s.pool, readapi.Config{})
	path := "/extended/v1/address/" + alice + "/stx"
	tags := map[string]int{}
	for version := 1; version <= 3; version++ {
		want := "745"
		if version > 1 {
			want = fmt.Sprint(version)
			s.exec(`DELETE FROM strata.active WHERE name = 'balances'`)
			s.exec(`DELETE FROM strata.projection WHERE name = 'balances'`)
			s.exec(`UPDATE balances_v1.holding SET balance = $1 WHERE account = $2 AND asset = 'stx'`, version, alice)
			s.exec(`INSERT INTO strata.projection (name, version, input, state, position, log_seq, block_height, index_block_hash, block_hash, burn_block_height)
				VALUES ('balances', 1, 'chain_v1', 'live', 51, 160, 60, $1, $2, 160)`, id(indexHash, 60), id(blockHash, 60))
			s.exec(`INSERT INTO strata.active VALUES ('balances', 1)`)
		}
		eventually(t, "the version is read", func() bool { return strings.Contains(k.get(path).body, `"balance":"`+want+`"`) })
		tags[k.get(path).header.Get("ETag")]++
	}
	if len(tags) != 3 {
		t.Errorf("got ETags %v, want three", tags)
	}
}

// What is not there now may be there later.
func TestNegativeAnswers(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	k := newKeeper(t, s.pool, readapi.Config{})
	targets := []string{"/extended/v2/blocks/61", "/extended/v2/blocks/" + id(indexHash, 61).String(), "/audit/v1/events/161"}
	for _, target := range targets {
		for range 2 {
			got := k.get(target)
			if got.status != http.StatusNotFound || got.header.Get("ETag") != "" || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: got %d %v, want 404 that nobody keeps", target, got.status, got.header)
			}
			if got := k.request(http.MethodGet, target, "If-None-Match", "*"); got.status != http.StatusNotFound {
				t.Errorf("%s: got %d for If-None-Match: *, want 404", target, got.status)
			}
		}
	}
	if got := k.reads(); got != len(targets) {
		t.Errorf("got %d reads, want one for each of %d", got, len(targets))
	}
	s.block(61)
	s.exec(`INSERT INTO log.event (seq, received_at, size, sha256, source, path, content_type, body) SELECT 161, received_at, size, sha256, source, path, content_type, body FROM log.event WHERE seq = 2`)
	s.exec(`UPDATE log.head SET size = 161`)
	s.advance("chain", shard.Height(61), shard.Block(id(indexHash, 61)))
	for _, target := range targets {
		eventually(t, target+" is there", func() bool { return k.get(target).status == http.StatusOK })
	}
}

func TestClasses(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	k := newKeeper(t, s.pool, readapi.Config{})
	const tip, settled, immutable = "public, no-cache, must-revalidate", "public, max-age=3600, must-revalidate", "public, max-age=31536000, immutable"
	for range 2 {
		for target, want := range map[string]string{
			"/extended":                     tip,
			"/extended/v2/blocks":           tip,
			"/extended/v2/blocks/latest":    tip,
			"/extended/v2/blocks/54":        tip,
			"/extended/v2/blocks/53":        settled,
			"/audit/v1/events/1":            immutable,
			"/audit/v1/events/1/body":       immutable,
			"/healthz":                      "no-store",
			"/readyz":                       "no-store",
			"/extended/v2/blocks/999":       "no-store",
			"/extended/v2/blocks?limit=999": "no-store",
			"/nowhere":                      "no-store",
		} {
			if got := k.get(target).header.Get("Cache-Control"); got != want {
				t.Errorf("%s: got Cache-Control %q, want %q", target, got, want)
			}
		}
	}
	// A block settles as Bitcoin goes on, without being read again.
	before := k.reads()
	s.exec(`UPDATE strata.projection SET burn_block_height = 161, position = position + 1, log_seq = log_seq + 1 WHERE name = 'chain'`)
	eventually(t, "block 54 settles", func() bool { return k.get("/extended/v2/blocks/54").header.Get("Cache-Control") == settled })
	if got := k.reads() - before; got != 0 {
		t.Errorf("got %d reads, want none", got)
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	k := newKeeper(t, s.pool, readapi.Config{})
	target := "/extended/v1/address/" + alice + "/balances"
	for range 2 { // made, and kept
		full := k.get(target)
		tag := full.header.Get("ETag")
		for _, tc := range []struct {
			name, tags string
			want       int
		}{
			{"the same", tag, 304},
			{"weak", "W/" + tag, 304},
			{"without quotes", strings.Trim(tag, `"`), 304},
			{"in a list", `"a", "b,c" , ` + tag + `,"d"`, 304},
			{"anything", "*", 304},
			{"another", `"a"`, 200},
			{"part of it", tag[:len(tag)-2] + `"`, 200},
			{"of another resource", k.get("/extended/v1/address/" + bob + "/balances").header.Get("ETag"), 200},
			{"empty", "", 200},
		} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				got := k.request(method, target, "If-None-Match", tc.tags)
				if got.status != tc.want {
					t.Errorf("%s %s: got %d, want %d", method, tc.name, got.status, tc.want)
				}
				for _, name := range []string{"ETag", "Cache-Control", "Strata-Position", "Warning", "Access-Control-Expose-Headers", "Access-Control-Allow-Origin", "X-Api-Version"} {
					if got.header.Get(name) != full.header.Get(name) || got.header.Get(name) == "" {
						t.Errorf("%s %s: got %s %q, want %q", method, tc.name, name, got.header.Get(name), full.header.Get(name))
					}
				}
				if tc.want == 304 && (got.body != "" || got.header.Get("Content-Length") != "" || got.header.Get("Content-Type") != "") {
					t.Errorf("%s %s: a 304 with content: %v %q", method, tc.name, got.header, got.body)
				}
			}
		}
		head := k.request(http.MethodHead, target)
		if head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(full.body)) || head.header.Get("ETag") != tag {
			t.Errorf("HEAD: got %v and %d bytes", head.header, len(head.body))
		}
	}
	// Parameters are checked first.
	if got := k.request(http.MethodGet, "/extended/v2/blocks?limit=x", "If-None-Match", "*"); got.status != http.StatusBadRequest {
		t.Errorf("got %d for a malformed parameter, want 400", got.status)
	}
}

// A request that can be answered from memory is, also while the database is gone: for a while.
func TestWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	pool, err := pgxpool.NewWithConfig(t.Context(), s.pool.Config())
	if err != nil {
		t.Fatal(err)
	}
	k := newKeeper(t, pool, readapi.Config{})
	target := "/extended/v1/address/" + alice + "/stx"
	want := k.get(target)
	pool.Close()
	if got := k.get(target); got.status != http.StatusOK || got.body != want.body {
		t.Errorf("got %d %s, want what is in memory", got.status, got.body)
	}
	// What was not confirmed for too long is not said any more.
	eventually(t, "the state is too old", func() bool { return k.get(target).status == http.StatusServiceUnavailable })
}

func TestHitsDontAllocate(t *testing.T) {
	s := newWorld(t)
	k := newKeeper(t, s.pool, readapi.Config{})
	for _, target := range []string{"/extended/v1/address/" + alice + "/stx", "/extended/v2/blocks", "/audit/v1/events/1"} {
		etag := k.get(target).header.Get("ETag")
		for _, known := range []string{"", etag} {
			r := httptest.NewRequest(http.MethodGet, target, nil)
			if known != "" {
				r.Header.Set("If-None-Match", known)
			}
			w := &sink{header: make(http.Header, 16)}
			if got := testing.AllocsPerRun(200, func() {
				clear(w.header)
				k.api.ServeHTTP(w, r)
			}); got > 1 { // a race with the watch, or with a collection, is no matter
				t.Errorf("%s, If-None-Match %s: got %v allocations, want none", target, known, got)
			}
		}
	}
}

// What is made of an answer when it is asked for compressed counts as memory, once.
func TestCompressedFormsAreCounted(t *testing.T) {
	s := newWorld(t)
	k := newKeeper(t, s.pool, readapi.Config{})
	const target = "/extended/v2/blocks"
	k.get(target)
	plain := k.metric("strata_cache_bytes")
	form := k.request(http.MethodGet, target, "Accept-Encoding", "zstd")
	if form.header.Get("Content-Encoding") != "zstd" {
		t.Fatalf("got %v", form.header)
	}
	counted := k.metric("strata_cache_bytes")
	if grown := counted - plain; grown < float64(len(form.body)) {
		t.Errorf("%v bytes more for a form of %d", grown, len(form.body))
	}
	k.request(http.MethodGet, target, "Accept-Encoding", "zstd")
	if again := k.metric("strata_cache_bytes"); again != counted {
		t.Errorf("got %v bytes the second time, after %v", again, counted)
	}
}

// sink is a ResponseWriter that keeps nothing.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
