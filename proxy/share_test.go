package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
)

// Identical in-flight reads cost one request to a node.
func TestShare(t *testing.T) {
	node := newNode(t, 100)
	release := make(chan struct{})
	node.respond(func(w http.ResponseWriter, r *http.Request) {
		<-release
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s", r.URL, body)
	})
	p := startProxy(t, Config{}, node)
	var clients sync.WaitGroup
	send := func(method, target, body string) {
		clients.Go(func() {
			got, err := p.try(method, target, body)
			if err != nil || got.status != 200 || got.body != target+" "+body {
				t.Errorf("%s %s: %+v, %v", method, target, got, err)
			}
		})
	}
	for range 10 {
		send(http.MethodGet, "/v2/accounts/SP1", "")
		send(http.MethodPost, "/v2/contracts/call-read/a/b/c", "one")
		send(http.MethodPost, "/v2/contracts/call-read/a/b/c", "two")
		send(http.MethodPost, "/v2/contracts/call-read/a/b/c?tip=latest", "one")
	}
	eventually.Holds(t, "all clients wait", func() bool { return node.requests.Load() == 4 && p.waiting() == 40 })
	close(release)
	clients.Wait()
	if n := node.requests.Load(); n != 4 {
		t.Errorf("%d requests at the node, want 4", n)
	}
}

// waiting returns the number of clients that wait for in-flight reads.
func (t *testProxy) waiting() int { return t.flights.Waiting() }

// A long answer can't be shared, so each client gets its own.
func TestShareLong(t *testing.T) {
	node := newNode(t, 100)
	release := make(chan struct{})
	long := bytes.Repeat([]byte("long"), BufferMax)
	node.respond(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		_, _ = w.Write(long)
	})
	p := startProxy(t, Config{}, node)
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			if got, err := p.try(http.MethodGet, "/v3/blocks/x", ""); err != nil || got.body != string(long) {
				t.Errorf("got %d bytes, %v", len(got.body), err)
			}
		})
	}
	eventually.Holds(t, "all clients wait", func() bool { return p.waiting() == 4 })
	close(release)
	clients.Wait()
	eventually.Holds(t, "no seat is taken", func() bool { return p.Nodes()[0].InFlight == 0 })
}

func TestCache(t *testing.T) {
	tip := strings.Repeat("ab", 32)
	tests := []struct {
		target  string
		control string
		cached  bool // while the tip stays the same
		lasting bool // also after the tip changed
	}{
		{"/v2/accounts/SP1", "public, max-age=2, stale-while-revalidate=5", true, false},
		{"/v2/accounts/SP1?tip=" + tip, "public, max-age=31536000, immutable", true, true},
		{"/v2/accounts/SP1?tip=latest", "public, max-age=2, stale-while-revalidate=5", true, false},
		{"/v2/contracts/source/SP1/c", "public, max-age=2, stale-while-revalidate=5", true, false},
		{"/v2/contracts/source/SP1/c?tip=" + tip, "public, max-age=31536000, immutable", true, true},
		{"/v2/pox?tip=" + tip, "public, max-age=10, stale-while-revalidate=20", true, false},
		{"/v3/blocks/height/7?tip=" + tip, "public, max-age=31536000, immutable", true, true},
		{"/v2/headers/7?tip=" + tip, "public, max-age=2, stale-while-revalidate=5", true, false},
		{"/v3/blocks/" + tip, "public, max-age=31536000, immutable", true, true},
		{"/v3/blocks/height/7", "public, max-age=2, stale-while-revalidate=5", true, false},
		{"/v3/sortitions", "public, max-age=10, stale-while-revalidate=20", true, false},
		{"/v3/health", "no-store", false, false},
		{"/v2/transactions/unconfirmed/" + tip, "no-store", false, false},
		{"/v3/unknown", "no-store", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.target[:min(30, len(tt.target))], func(t *testing.T) {
			node := newNode(t, 100)
			var n atomic.Int64
			node.respond(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/odd")
				_, _ = fmt.Fprintf(w, "\x00answer %d", n.Add(1))
			})
			p := startProxy(t, Config{Cache: newMemory()}, node)
			first := p.get(t, tt.target)
			if got := first.header.Get("Cache-Control"); got != tt.control {
				t.Errorf("Cache-Control %q, want %q", got, tt.control)
			}
			second := p.get(t, tt.target)
			if cached := second.body == first.body; cached != tt.cached || cached != (second.node() == "cache") {
				t.Errorf("second answer %q from %s after %q", second.body, second.node(), first.body)
			}
			if tt.cached {
				for _, name := range []string{"Content-Type", "Cache-Control", "Content-Length", "X-Canonical-Stacks-Tip-Height"} {
					if second.header.Get(name) != first.header.Get(name) || first.header.Get(name) == "" {
						t.Errorf("%s: %q, then %q", name, first.header.Get(name), second.header.Get(name))
					}
				}
			}
			node.height.Add(1)
			eventually.Holds(t, "the new tip is known", func() bool { return p.pool.Tip().Height == 101 })
			if lasting := p.get(t, tt.target).body == first.body; lasting != tt.lasting {
				t.Errorf("after a new block: cached %v, want %v", lasting, tt.lasting)
			}
		})
	}
}

// What a node derives from its Bitcoin tip is asked for anew after each Bitcoin block, also when the request names the
// Stacks tip; and the answer of a node that has not got to that block is not cached.
func TestCacheBitcoinBlock(t *testing.T) {
	a, b := newNode(t, 100), newNode(t, 100)
	var n atomic.Int64
	count := func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, "answer %d", n.Add(1)) }
	a.respond(count)
	b.respond(count)
	p := startProxy(t, Config{Cache: newMemory()}, a, b)
	for _, target := range []string{"/v2/pox", "/v2/pox?tip=" + strings.Repeat("ab", 32), "/v3/sortitions"} {
		first := p.get(t, target)
		if again := p.get(t, target); again.node() != "cache" || again.body != first.body {
			t.Errorf("%s: the second answer came from %s", target, again.node())
		}
		a.burn.Add(1)
		b.burn.Add(1)
		eventually.Holds(t, "the Bitcoin block is known", func() bool { return p.pool.Tip().BurnHeight == a.burn.Load() })
		if after := p.get(t, target); after.body == first.body {
			t.Errorf("%s: the answer of before the Bitcoin block is still served", target)
		}
	}
	b.burn.Add(-1)
	if cacheable(&answer{status: 200, height: 100, burnHeight: b.burn.Load(), lag: -1}, policy.Burn, pool.Tip{Height: 100, BurnHeight: a.burn.Load()}) {
		t.Error("the answer of a node without the Bitcoin block would be cached under it")
	}
}

// An answer that lasts beyond its tip does not say that its tip is still the newest.
func TestCachedAnswerNamesNewestTip(t *testing.T) {
	node := newNode(t, 100)
	p := startProxy(t, Config{Cache: newMemory()}, node)
	target := "/v2/accounts/SP1?tip=" + strings.Repeat("ab", 32)
	if got := p.get(t, target).header.Get(tipHeight); got != "100" {
		t.Errorf("at first the tip is %s", got)
	}
	node.height.Add(7)
	eventually.Holds(t, "the new tip is known", func() bool { return p.pool.Tip().Height == 107 })
	if got := p.get(t, target); got.node() != "cache" || got.header.Get(tipHeight) != "107" {
		t.Errorf("from %s, with the tip %s; want the cache, with 107", got.node(), got.header.Get(tipHeight))
	}
}

// Of nodes that are all healthy, those at the pool's tip answer reads of the state, so that what one account reads never runs
// backwards; others are used when these are gone.
func TestStateReadsDontRunBackwards(t *testing.T) {
	a, b, behind := newNode(t, 100), newNode(t, 100), newNode(t, 98)
	for _, n := range []*fakeNode{a, b, behind} {
		n.respond(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, n.height.Load()) })
	}
	p := startProxy(t, Config{}, a, b, behind)
	p.untilState(t, behind, "serving")
	for range 50 {
		if got := p.get(t, "/v2/accounts/SP1"); got.body != "100" {
			t.Fatalf("a node at %s answered, while others were at 100", got.body)
		}
	}
	if n := behind.requests.Load(); n != 0 {
		t.Errorf("the node behind got %d requests", n)
	}
	a.stop()
	b.stop()
	p.get(t, "/v2/accounts/SP1").want(t, 200, "98")
}

// The failure of a read-only call may come from the limits of the node that ran it.
func TestCacheFailedCall(t *testing.T) {
	node := newNode(t, 100)
	cache := newMemory()
	p := startProxy(t, Config{Cache: cache}, node)
	for body, want := range map[string]time.Duration{
		`{"okay":true,"result":"0x03"}`:                cacheTTLs[policy.Immutable],
		`{"okay":false,"cause":"CostBalanceExceeded"}`: cacheTTLs[policy.Tip],
	} {
		node.respond(status(200, body))
		p.do(t, http.MethodPost, "/v2/contracts/call-read/a/b/c?tip="+strings.Repeat("ab", 32), body).want(t, 200, body)
		if cache.ttl != want {
			t.Errorf("%s is cached for %v, want %v", body, cache.ttl, want)
		}
	}
}

// Only answers of status 200 are cached, only from a node at the tip, and only those that are the same for every
// client.
func TestNotCached(t *testing.T) {
	ahead, behind := newNode(t, 100), newNode(t, 100)
	cache := newMemory()
	var height atomic.Int64
	height.Store(103)
	p := startProxy(t, Config{Cache: cache, Tip: func() (int64, [32]byte, bool) { return height.Load(), [32]byte{1}, true }}, ahead, behind)
	p.get(t, "/v2/accounts/SP1").want(t, 200, "accounts") // both are within the limit, and behind
	if cache.sets != 0 {
		t.Error("an answer of a node behind the tip was cached")
	}
	height.Store(100)
	for _, code := range []int{404, 400, 204, 500} {
		ahead.respond(status(code, ""))
		behind.respond(status(code, ""))
		p.get(t, "/v2/accounts/SP1").want(t, code, "")
	}
	if cache.sets != 0 {
		t.Error("an answer of a status other than 200 was cached")
	}
	p.do(t, http.MethodPost, "/v3/contracts/fast-call-read/a/b/c", "{}", "Authorization", "token")
	if cache.sets != 0 {
		t.Error("an answer to an authorized request was cached")
	}
}

func TestInfoIsCachedForASecond(t *testing.T) {
	node := newNode(t, 100)
	cache := newMemory()
	p := startProxy(t, Config{Cache: cache}, node)
	first := p.get(t, "/v2/info")
	first.want(t, 200, `"stacks_tip_height":100`)
	if got := first.header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q", got)
	}
	if second := p.get(t, "/v2/info"); second.node() != "cache" || second.body != first.body {
		t.Errorf("second from %s", second.node())
	}
}

// An answer that another process cached is found, and no node gets a request.
func TestSharedCache(t *testing.T) {
	node := newNode(t, 100)
	first, second := newMemory(), newMemory()
	p := startProxy(t, Config{Cache: first}, node)
	cached := p.get(t, "/v2/accounts/SP1")
	cached.want(t, 200, "accounts")
	second.elsewhere = map[[32]byte][]byte{}
	for key, value := range first.values {
		second.elsewhere[key] = value.value
	}
	q := startProxy(t, Config{Cache: second}, node)
	before := node.requests.Load()
	if got := q.get(t, "/v2/accounts/SP1"); got.node() != "cache" || got.body != cached.body || got.header.Get("X-Strata-Tries") != "0" {
		t.Errorf("got %q from %s after %s tries", got.body, got.node(), got.header.Get("X-Strata-Tries"))
	}
	if n := node.requests.Load(); n != before || second.finds != 1 {
		t.Errorf("%d requests at the node, %d calls of Find", n-before, second.finds)
	}
	q.get(t, "/v3/unknown").want(t, 200, "unknown") // is never cached
	if second.finds != 1 {
		t.Error("Find was called for an answer that is never cached")
	}
	for key := range second.elsewhere {
		second.elsewhere[key] = []byte("of another format")
	}
	if got := q.get(t, "/v2/accounts/SP1"); got.node() != node.name {
		t.Errorf("with a value of another format in the cache, %s answered", got.node())
	}
}

func TestCachedRoundTrip(t *testing.T) {
	a := &answer{status: 200, header: http.Header{"Content-Type": {"text/x"}, "Etag": {""}, "Allow": {"GET", "POST"}}, body: []byte("\x00body")}
	got, err := parseCached(appendCached(nil, a))
	if err != nil || got.status != 200 || !bytes.Equal(got.body, a.body) || !reflect.DeepEqual(got.header, a.header) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func FuzzParseCached(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendCached(nil, &answer{header: http.Header{tipHeight: {"1"}}, body: []byte("{}")}))
	f.Add([]byte{cachedFormat, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseCached(b)
		if err != nil {
			return
		}
		again, err := parseCached(appendCached(nil, a))
		if err != nil || !bytes.Equal(again.body, a.body) || !reflect.DeepEqual(again.header, a.header) {
			t.Fatalf("%+v became %+v, %v", a, again, err)
		}
	})
}
