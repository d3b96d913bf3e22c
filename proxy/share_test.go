package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"strata/proxy/internal/wire"
)

// Identical reads at the same time are one read, also for those who come while the first client leaves.
func TestCollapse(t *testing.T) {
	node := newNode(t, 100)
	release := make(chan struct{})
	node.does(func(w http.ResponseWriter, r *http.Request) {
		<-release
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s", r.URL, body)
	})
	p := startProxy(t, Config{}, node)
	var clients sync.WaitGroup
	ask := func(method, target, body string) {
		clients.Go(func() {
			got, err := p.try(method, target, body)
			if err != nil || got.status != 200 || got.body != target+" "+body {
				t.Errorf("%s %s: %+v, %v", method, target, got, err)
			}
		})
	}
	for range 10 {
		ask(http.MethodGet, "/v2/accounts/SP1", "")
		ask(http.MethodPost, "/v2/contracts/call-read/a/b/c", "one")
		ask(http.MethodPost, "/v2/contracts/call-read/a/b/c", "two")
		ask(http.MethodPost, "/v2/contracts/call-read/a/b/c?tip=latest", "one")
	}
	waitFor(t, "all wait", func() bool { return node.requests.Load() == 4 && p.waiting() == 40 })
	close(release)
	clients.Wait()
	if n := node.requests.Load(); n != 4 {
		t.Errorf("%d requests at the node, want 4", n)
	}
}

// A client that leaves doesn't end the read for the others.
func TestCollapseFirstLeaves(t *testing.T) {
	node := newNode(t, 100)
	release := make(chan struct{})
	node.does(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		_, _ = io.WriteString(w, "done")
	})
	p := startProxy(t, Config{}, node)
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/v2/accounts/SP1", nil)
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan error, 1)
	go func() {
		response, err := p.client.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		first <- err
	}()
	waitFor(t, "the first waits", func() bool { return p.waiting() == 1 && node.requests.Load() == 1 })
	var second sync.WaitGroup
	second.Go(func() {
		if got, err := p.try(http.MethodGet, "/v2/accounts/SP1", ""); err != nil || got.body != "done" {
			t.Errorf("the second has %+v, %v", got, err)
		}
	})
	waitFor(t, "the second waits", func() bool { return p.waiting() == 2 })
	leave()
	if <-first == nil {
		t.Error("the first didn't leave")
	}
	waitFor(t, "the proxy knows that it left", func() bool { return p.waiting() == 1 })
	close(release)
	second.Wait()
	if n := node.requests.Load(); n != 1 {
		t.Errorf("%d requests at the node, want 1", n)
	}
}

// waiting is how many clients wait for reads that are under way.
func (t *testProxy) waiting() int { return t.flights.Waiting() }

// Long answers can't be shared, and each client has its own.
func TestCollapseLong(t *testing.T) {
	node := newNode(t, 100)
	release := make(chan struct{})
	long := bytes.Repeat([]byte("long"), BufferMax)
	node.does(func(w http.ResponseWriter, _ *http.Request) {
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
	waitFor(t, "all wait", func() bool { return p.waiting() == 4 })
	close(release)
	clients.Wait()
	waitFor(t, "no seat is taken", func() bool { return p.Nodes()[0].InFlight == 0 })
}

func TestCache(t *testing.T) {
	tip := strings.Repeat("ab", 32)
	tests := []struct {
		target  string
		control string
		kept    bool // as long as the tip is the same
		lasting bool // and afterwards
	}{
		{"/v2/accounts/SP1", "public, max-age=2, stale-while-revalidate=5", true, false},
		{"/v2/accounts/SP1?tip=" + tip, "public, max-age=31536000, immutable", true, true},
		{"/v2/accounts/SP1?tip=latest", "public, max-age=2, stale-while-revalidate=5", true, false},
		{"/v2/contracts/source/SP1/c", "public, max-age=2, stale-while-revalidate=5", true, false},
		{"/v2/contracts/source/SP1/c?tip=" + tip, "public, max-age=31536000, immutable", true, true},
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
			node.does(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/odd")
				_, _ = fmt.Fprintf(w, "\x00answer %d", n.Add(1))
			})
			p := startProxy(t, Config{Cache: newMemory()}, node)
			first := p.get(t, tt.target)
			if got := first.header.Get("Cache-Control"); got != tt.control {
				t.Errorf("Cache-Control %q, want %q", got, tt.control)
			}
			second := p.get(t, tt.target)
			if kept := second.body == first.body; kept != tt.kept || kept != (second.node() == "cache") {
				t.Errorf("second answer %q of %s after %q", second.body, second.node(), first.body)
			}
			if tt.kept {
				for _, name := range []string{"Content-Type", "Cache-Control", "Content-Length", "X-Canonical-Stacks-Tip-Height"} {
					if second.header.Get(name) != first.header.Get(name) || first.header.Get(name) == "" {
						t.Errorf("%s: %q, then %q", name, first.header.Get(name), second.header.Get(name))
					}
				}
			}
			node.height.Add(1)
			waitFor(t, "the new tip is known", func() bool { return p.pool.Tip().Height == 101 })
			if lasting := p.get(t, tt.target).body == first.body; lasting != tt.lasting {
				t.Errorf("after a new block: kept %v, want %v", lasting, tt.lasting)
			}
		})
	}
}

// Only answers of status 200 are kept, only of a node that is at the tip, and not if they are too long.
func TestNotKept(t *testing.T) {
	ahead, behind := newNode(t, 100), newNode(t, 100)
	cache := newMemory()
	var height atomic.Int64
	height.Store(103)
	p := startProxy(t, Config{Cache: cache, Tip: func() (int64, [32]byte, bool) { return height.Load(), [32]byte{1}, true }}, ahead, behind)
	p.get(t, "/v2/accounts/SP1").want(t, 200, "accounts") // both are within the limit, and behind
	if cache.sets != 0 {
		t.Error("an answer of a node behind the tip was kept")
	}
	height.Store(100)
	for _, code := range []int{404, 400, 204, 500} {
		ahead.does(status(code, ""))
		behind.does(status(code, ""))
		p.get(t, "/v2/accounts/SP1").want(t, code, "")
	}
	if cache.sets != 0 {
		t.Error("an answer other than 200 was kept")
	}
	p.do(t, http.MethodPost, "/v3/contracts/fast-call-read/a/b/c", "{}", "Authorization", "token")
	if cache.sets != 0 {
		t.Error("an answer for one client's eyes was kept")
	}
}

func TestInfoIsKeptForASecond(t *testing.T) {
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

// What another process has kept is looked for once for all who ask at the same time, and no node is asked.
func TestFoundElsewhere(t *testing.T) {
	node := newNode(t, 100)
	first, second := newMemory(), newMemory()
	p := startProxy(t, Config{Cache: first}, node)
	kept := p.get(t, "/v2/accounts/SP1")
	kept.want(t, 200, "accounts")
	second.elsewhere = map[[32]byte][]byte{}
	for key, value := range first.values {
		second.elsewhere[key] = value.value
	}
	q := startProxy(t, Config{Cache: second}, node)
	asked := node.requests.Load()
	if got := q.get(t, "/v2/accounts/SP1"); got.node() != "cache" || got.body != kept.body || got.header.Get("X-Strata-Tries") != "0" {
		t.Errorf("got %q of %s after %s tries", got.body, got.node(), got.header.Get("X-Strata-Tries"))
	}
	if n := node.requests.Load(); n != asked || second.finds != 1 {
		t.Errorf("%d requests at the node, %d looks", n-asked, second.finds)
	}
	q.get(t, "/v3/unknown").want(t, 200, "unknown") // can't be kept
	if second.finds != 1 {
		t.Error("what is never kept was looked for")
	}
	for key := range second.elsewhere {
		second.elsewhere[key] = []byte("of another format")
	}
	if got := q.get(t, "/v2/accounts/SP1"); got.node() != node.name {
		t.Errorf("what can't be read was answered by %s", got.node())
	}
}

func TestKeptRoundTrip(t *testing.T) {
	a := &answer{status: 200, fields: []wire.Field{{Name: wire.ContentType, Value: "text/x"}, {Name: "Etag", Value: ""}}, body: []byte("\x00body")}
	got, err := parseKept(appendKept(nil, a))
	if err != nil || got.status != 200 || !bytes.Equal(got.body, a.body) || len(got.fields) != 2 || got.fields[0] != a.fields[0] || got.fields[1] != a.fields[1] {
		t.Errorf("got %+v, %v", got, err)
	}
}

func FuzzParseKept(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendKept(nil, &answer{fields: []wire.Field{{Name: wire.TipHeight, Value: "1"}}, body: []byte("{}")}))
	f.Add([]byte{keptFormat, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseKept(b)
		if err != nil {
			return
		}
		again, err := parseKept(appendKept(nil, a))
		if err != nil || !bytes.Equal(again.body, a.body) || len(again.fields) != len(a.fields) {
			t.Fatalf("%+v became %+v, %v", a, again, err)
		}
	})
}
