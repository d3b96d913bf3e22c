package enginetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/shard"
	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
)

func TestKept(t *testing.T) {
	t.Parallel()
	s, k := apitest.NewKeptWorld(t, readapi.Config{})
	for _, target := range []string{
		"/extended",
		"/extended/v2/blocks?limit=5",
		"/extended/v2/blocks/40",
		"/extended/v2/blocks/latest",
		"/extended/v2/blocks/" + apitest.ID(apitest.IndexHash, 40).String(),
		"/extended/v1/address/" + apitest.Alice + "/stx",
		"/extended/v1/address/" + apitest.Alice + "/stx?until_block=20",
		"/extended/v1/address/" + apitest.Alice + "/balances",
		"/extended/v2/addresses/" + apitest.Alice + "/balances/stx",
		"/audit/v1/events/2",
		"/audit/v1/events/2/body",
		"/audit/v1/quarantine",
		"/audit/v1/negative-balances",
		// What is not there is kept as well.
		"/extended/v2/blocks/999",
		"/extended/v1/address/" + apitest.Alice + "/stx?until_block=999",
		"/audit/v1/events/999",
	} {
		want, before := s.Get(target), k.Reads()
		for range 3 {
			got := k.Get(target)
			if got.Status != want.Status || got.Body != want.Body {
				t.Errorf("%s: got %d %s, want %d %s", target, got.Status, got.Body, want.Status, want.Body)
			}
			for _, name := range []string{"Cache-Control", "Content-Type", "Strata-Position", "Strata-Source", "Warning", "Vary", "Content-Length"} {
				check.Equal(t, fmt.Sprintf("%s: %s", target, name), got.Header.Get(name), want.Header.Get(name))
			}
			if (got.Header.Get("ETag") != "") != (got.Status == http.StatusOK) {
				t.Errorf("%s: got %d with ETag %q", target, got.Status, got.Header.Get("ETag"))
			}
		}
		check.Equal(t, fmt.Sprintf("%s: reads of the database", target), k.Reads()-before, 1)
	}
}

// Requests that mean the same are one: an answer is kept once, whatever its target looks like.
func TestSameRequest(t *testing.T) {
	t.Parallel()
	_, k := apitest.NewKeptWorld(t, readapi.Config{})
	tag := ""
	for _, target := range []string{
		"/extended/v2/blocks", "/extended/v2/blocks/", "/extended/v2/blocks?limit=20", "/extended/v2/blocks?offset=0&limit=20",
		"/extended/v2/blocks?x=1", "/extended/v2/blocks?limit=%32%30",
	} {
		for range 2 {
			got := k.Get(target).Header.Get("ETag")
			if tag == "" {
				tag = got
			}
			if got != tag || got == "" {
				t.Errorf("%s: got ETag %s, want %s", target, got, tag)
			}
		}
	}
	check.Equal(t, "reads of the database", k.Reads(), 1)
	for _, target := range []string{"/extended/v2/blocks?limit=19", "/extended/v2/blocks?offset=1", "/extended/v2/blocks?cursor=" + apitest.ID(apitest.IndexHash, apitest.LastHeight-1).String()} {
		if got := k.Get(target).Header.Get("ETag"); got == tag {
			t.Errorf("%s: has the ETag of another page", target)
		}
	}
}

// A block changes the answers for what it touches, and no others.
func TestTouched(t *testing.T) {
	t.Parallel()
	s, k := apitest.NewKeptWorld(t, readapi.Config{})
	path := func(account string) string { return "/extended/v1/address/" + account + "/stx" }
	aliceBefore, bobBefore := k.Get(path(apitest.Alice)), k.Get(path(apitest.Bob))
	s.Change(5, 60, apitest.Alice, "stx", "stx", 1, 746, 300, 1001, 5, 50)
	s.Advance("balances", shard.Account(apitest.Alice))
	k.Seen(path(apitest.Bob))
	reads := k.Reads()
	bobAfter := k.Get(path(apitest.Bob))
	if got := k.Reads() - reads; got != 0 || bobAfter.Body != bobBefore.Body || bobAfter.Header.Get("ETag") != bobBefore.Header.Get("ETag") {
		t.Errorf("bob, who is not touched: got %d reads and ETag %s, want none and %s", got, bobAfter.Header.Get("ETag"), bobBefore.Header.Get("ETag"))
	}
	if bobAfter.Header.Get("Strata-Position") == bobBefore.Header.Get("Strata-Position") {
		t.Errorf("bob: got position %q, want that of the new block", bobAfter.Header.Get("Strata-Position"))
	}
	aliceAfter := k.Get(path(apitest.Alice))
	if !strings.Contains(aliceAfter.Body, `"balance":"746"`) || aliceAfter.Header.Get("ETag") == aliceBefore.Header.Get("ETag") {
		t.Errorf("alice: got %s with ETag %s", aliceAfter.Body, aliceAfter.Header.Get("ETag"))
	}
	check.Equal(t, "alice: for the ETag of before", k.Request(http.MethodGet, path(apitest.Alice), "If-None-Match", aliceBefore.Header.Get("ETag")).Status, http.StatusOK)

	// A batch of many blocks says nothing of what it touches.
	s.Exec(`UPDATE balances_v1.holding SET balance = 299 WHERE account = $1`, apitest.Bob)
	s.Advance("balances")
	k.Seen(path(apitest.Bob))
	if got := k.Get(path(apitest.Bob)); !strings.Contains(got.Body, `"balance":"299"`) {
		t.Errorf("bob: got %s", got.Body)
	}
}

// A version that takes the number of an earlier one is another version.
func TestVersionOfTheSameNumber(t *testing.T) {
	t.Parallel()
	s, k := apitest.NewKeptWorld(t, readapi.Config{})
	path := "/extended/v1/address/" + apitest.Alice + "/stx"
	tags := map[string]int{}
	for version := 1; version <= 3; version++ {
		want := "745"
		if version > 1 {
			want = fmt.Sprint(version)
			s.Exec(`DELETE FROM strata.active WHERE name = 'balances'`)
			s.Exec(`DELETE FROM strata.projection WHERE name = 'balances'`)
			s.Exec(`UPDATE balances_v1.holding SET balance = $1 WHERE account = $2 AND asset = 'stx'`, version, apitest.Alice)
			s.Exec(`INSERT INTO strata.projection (name, version, input, state, position, log_seq, block_height, index_block_hash, block_hash, burn_block_height)
				VALUES ('balances', 1, 'chain_v1', 'live', 51, 160, 60, $1, $2, 160)`, apitest.ID(apitest.IndexHash, 60), apitest.ID(apitest.BlockHash, 60))
			s.Exec(`INSERT INTO strata.active VALUES ('balances', 1)`)
		}
		eventually.Holds(t, "the version is read", func() bool { return strings.Contains(k.Get(path).Body, `"balance":"`+want+`"`) })
		tags[k.Get(path).Header.Get("ETag")]++
	}
	if len(tags) != 3 {
		t.Errorf("got ETags %v, want three", tags)
	}
}

// What is not there now may be there later.
func TestNegativeAnswers(t *testing.T) {
	t.Parallel()
	s, k := apitest.NewKeptWorld(t, readapi.Config{})
	targets := []string{"/extended/v2/blocks/61", "/extended/v2/blocks/" + apitest.ID(apitest.IndexHash, 61).String(), "/audit/v1/events/161"}
	for _, target := range targets {
		for range 2 {
			got := k.Get(target)
			if got.Status != http.StatusNotFound || got.Header.Get("ETag") != "" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: got %d %v, want 404 that nobody keeps", target, got.Status, got.Header)
			}
			if got := k.Request(http.MethodGet, target, "If-None-Match", "*"); got.Status != http.StatusNotFound {
				t.Errorf("%s: got %d for If-None-Match: *, want 404", target, got.Status)
			}
		}
	}
	if got := k.Reads(); got != len(targets) {
		t.Errorf("got %d reads, want one for each of %d", got, len(targets))
	}
	s.Block(61)
	s.Exec(`INSERT INTO log.event (seq, received_at, size, sha256, source, path, content_type, body) SELECT 161, received_at, size, sha256, source, path, content_type, body FROM log.event WHERE seq = 2`)
	s.Exec(`UPDATE log.head SET size = 161`)
	s.Advance("chain", shard.Height(61), shard.Block(apitest.ID(apitest.IndexHash, 61)))
	for _, target := range targets {
		eventually.Holds(t, target+" is there", func() bool { return k.Get(target).Status == http.StatusOK })
	}
}

func TestClasses(t *testing.T) {
	t.Parallel()
	s, k := apitest.NewKeptWorld(t, readapi.Config{})
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
			check.Equal(t, fmt.Sprintf("%s: Cache-Control", target), k.Get(target).Header.Get("Cache-Control"), want)
		}
	}
	// A block settles as Bitcoin goes on, without being read again.
	before := k.Reads()
	s.Exec(`UPDATE strata.projection SET burn_block_height = 161, position = position + 1, changes_to = position + 1, log_seq = log_seq + 1 WHERE name = 'chain'`)
	eventually.Holds(t, "block 54 settles", func() bool { return k.Get("/extended/v2/blocks/54").Header.Get("Cache-Control") == settled })
	check.Equal(t, "reads", k.Reads()-before, 0)
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	_, k := apitest.NewKeptWorld(t, readapi.Config{})
	target := "/extended/v1/address/" + apitest.Alice + "/balances"
	for range 2 { // made, and kept
		full := k.Get(target)
		tag := full.Header.Get("ETag")
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
			{"of another resource", k.Get("/extended/v1/address/" + apitest.Bob + "/balances").Header.Get("ETag"), 200},
			{"empty", "", 200},
		} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				got := k.Request(method, target, "If-None-Match", tc.tags)
				check.Equal(t, fmt.Sprintf("%s %s", method, tc.name), got.Status, tc.want)
				for _, name := range []string{"ETag", "Cache-Control", "Strata-Position", "Warning", "Access-Control-Expose-Headers", "Access-Control-Allow-Origin", "X-Api-Version"} {
					if got.Header.Get(name) != full.Header.Get(name) || got.Header.Get(name) == "" {
						t.Errorf("%s %s: got %s %q, want %q", method, tc.name, name, got.Header.Get(name), full.Header.Get(name))
					}
				}
				if tc.want == 304 && (got.Body != "" || got.Header.Get("Content-Length") != "" || got.Header.Get("Content-Type") != "") {
					t.Errorf("%s %s: a 304 with content: %v %q", method, tc.name, got.Header, got.Body)
				}
			}
		}
		head := k.Request(http.MethodHead, target)
		if head.Body != "" || head.Header.Get("Content-Length") != fmt.Sprint(len(full.Body)) || head.Header.Get("ETag") != tag {
			t.Errorf("HEAD: got %v and %d bytes", head.Header, len(head.Body))
		}
	}
	// Parameters are checked first.
	if got := k.Request(http.MethodGet, "/extended/v2/blocks?limit=x", "If-None-Match", "*"); got.Status != http.StatusBadRequest {
		t.Errorf("got %d for a malformed parameter, want 400", got.Status)
	}
}

// A request that can be answered from memory is, also while the database is gone: for a while.
func TestWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), s.Pool.Config()))(t)
	k := apitest.NewKeeper(t, pool, readapi.Config{})
	target := "/extended/v1/address/" + apitest.Alice + "/stx"
	want := k.Get(target)
	pool.Close()
	if got := k.Get(target); got.Status != http.StatusOK || got.Body != want.Body {
		t.Errorf("got %d %s, want what is in memory", got.Status, got.Body)
	}
	// What has to be read is not there.
	if got := k.Get("/audit/v1/events/1"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("what was never read: got %d %s, want 503", got.Status, got.Body)
	}
}

func TestHitsDontAllocate(t *testing.T) {
	_, k := apitest.NewKeptWorld(t, readapi.Config{})
	for _, target := range []string{"/extended/v1/address/" + apitest.Alice + "/stx", "/extended/v2/blocks", "/audit/v1/events/1"} {
		etag := k.Get(target).Header.Get("ETag")
		for _, known := range []string{"", etag} {
			r := httptest.NewRequest(http.MethodGet, target, nil)
			r.Header.Set("X-Request-Id", "named")
			if known != "" {
				r.Header.Set("If-None-Match", known)
			}
			w := &sink{header: make(http.Header, 16)}
			if got := testing.AllocsPerRun(200, func() {
				clear(w.header)
				k.API.ServeHTTP(w, r)
			}); got > 1 { // a race with the watch, or with a collection, is no matter
				t.Errorf("%s, If-None-Match %s: got %v allocations, want none", target, known, got)
			}
			if got := w.header.Get("X-Request-Id"); got != "named" {
				t.Errorf("%s: the answer is to the request %q", target, got)
			}
		}
	}
}

// What is made of an answer when it is asked for compressed counts as memory, once.
func TestCompressedFormsAreCounted(t *testing.T) {
	_, k := apitest.NewKeptWorld(t, readapi.Config{})
	const target = "/extended/v2/blocks"
	k.Get(target)
	plain := k.Metric("strata_cache_bytes")
	form := k.Request(http.MethodGet, target, "Accept-Encoding", "zstd")
	if form.Header.Get("Content-Encoding") != "zstd" {
		t.Fatalf("got %v", form.Header)
	}
	counted := k.Metric("strata_cache_bytes")
	if grown := counted - plain; grown < float64(len(form.Body)) {
		t.Errorf("%v bytes more for a form of %d", grown, len(form.Body))
	}
	k.Request(http.MethodGet, target, "Accept-Encoding", "zstd")
	if again := k.Metric("strata_cache_bytes"); again != counted {
		t.Errorf("got %v bytes the second time, after %v", again, counted)
	}
}

// sink is a ResponseWriter that keeps nothing.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header { return s.header }

func (s *sink) WriteHeader(int) {}

func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
