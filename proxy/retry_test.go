package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
)

// An unsafe request that no node can have seen is sent again.
func TestUnsafeUnconnected(t *testing.T) {
	dead, good := newNode(t, 100), newNode(t, 100)
	p := startProxy(t, Config{ProbeInterval: time.Hour}, dead, good)
	dead.stop()
	for i := range 20 {
		p.do(t, http.MethodPost, "/v3/unknown", "{}").want(t, 200, "unknown")
		if n := good.requests.Load(); n != int64(i+1) {
			t.Fatalf("%d requests at the node after %d client requests", n, i+1)
		}
	}
}

func TestAllDown(t *testing.T) {
	one, two := newNode(t, 100), newNode(t, 100)
	p := startProxy(t, Config{}, one, two)
	one.stop()
	two.stop()
	p.untilState(t, one, "down")
	p.untilState(t, two, "down")
	got := p.get(t, "/v2/accounts/SP1")
	got.want(t, 503, `"nodes":[{"name":"`+one.name+`","state":"down","since":"`)
	got.want(t, 503, `"name":"`+two.name+`"`)
	if got.header.Get("Retry-After") == "" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("header %v", got.header)
	}
	one.start(t, one.address) // on the same port
	eventually.Holds(t, "the proxy works again", func() bool { return p.get(t, "/v2/accounts/SP1").status == 200 })
}

// If all nodes fail, the client gets a node's own error.
func TestAllFail(t *testing.T) {
	one, two := newNode(t, 100), newNode(t, 100)
	one.respond(status(500, "database is locked"))
	two.respond(status(500, "database is locked"))
	p := startProxy(t, Config{}, one, two)
	p.get(t, "/v2/accounts/SP1").want(t, 500, "database is locked")

	one.respond(cut)
	two.respond(cut)
	p.get(t, "/v2/accounts/SP1").want(t, 502, "error")

	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	one, two = newNode(t, 100), newNode(t, 100)
	one.respond(hang)
	two.respond(hang)
	p = startProxy(t, Config{Timeouts: Timeouts{Medium: 20 * time.Millisecond}}, one, two)
	p.get(t, "/v2/accounts/SP1").want(t, 504, "error")
}

// A status 4xx goes to the client without a second attempt.
func TestClientErrorsPass(t *testing.T) {
	one, two := newNode(t, 100), newNode(t, 100)
	for _, code := range []int{400, 401, 404, 405} {
		one.respond(status(code, "no"))
		two.respond(status(code, "no"))
		p := startProxy(t, Config{}, one, two)
		before := one.requests.Load() + two.requests.Load()
		p.get(t, "/v2/data_var/a/b/c").want(t, code, "no")
		if n := one.requests.Load() + two.requests.Load() - before; n != 1 {
			t.Errorf("status %d: %d nodes got the request", code, n)
		}
	}
}

// A node that doesn't have the named tip yet leads to another attempt.
func TestUnknownTip(t *testing.T) {
	behind, good := newNode(t, 100), newNode(t, 100)
	tip := strings.Repeat("ab", 32)
	behind.respond(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "Chain tip '"+tip+"' not found", http.StatusNotFound)
	})
	p := startProxy(t, Config{}, behind, good)
	for i := range 10 {
		p.get(t, fmt.Sprintf("/v2/accounts/SP%d?tip=%s", i, tip)).want(t, 200, "accounts")
	}
	good.respond(*behind.handle.Load())
	p.get(t, "/v2/accounts/SP1?tip="+tip).want(t, 404, "Chain tip")

	// The request goes first to the node that is known to have the tip.
	good.respond(status(200, "{}"))
	good.height.Store(101)
	eventually.Holds(t, "the pool knows the tip", func() bool { _, id := good.tip(); return p.pool.NodesWithTip(id) != 0 })
	_, id := good.tip()
	before := behind.requests.Load()
	for i := range 10 {
		p.get(t, fmt.Sprintf("/v2/accounts/SX%d?tip=%s", i, id.String()[2:])).want(t, 200, "{}")
	}
	if n := behind.requests.Load() - before; n != 0 {
		t.Errorf("a node that doesn't have the tip got %d requests", n)
	}
}

func TestEstimateElsewhere(t *testing.T) {
	naive, wise := newNode(t, 100), newNode(t, 100)
	naive.respond(status(400, `{"error":"Estimation could not be performed","reason":"NoEstimateAvailable"}`))
	wise.respond(status(200, `{"estimations":[]}`))
	override := func(body, answer []byte) ([]byte, bool) {
		return append([]byte("for "+string(body)+": "), answer...), true
	}
	p := startProxy(t, Config{FeeOverride: override}, naive, wise)
	for i := range 10 {
		p.do(t, http.MethodPost, "/v2/fees/transaction", fmt.Sprint(i)).want(t, 200, fmt.Sprintf(`for %d: {"estimations":[]}`, i))
	}
	wise.respond(status(400, `"Fee estimation not supported on this node"`))
	p.do(t, http.MethodPost, "/v2/fees/transaction", "{}").want(t, 400, "stimation")
}

// When all nodes fail, the retry budget bounds the requests that they get.
func TestRetryBudget(t *testing.T) {
	one, two := newNode(t, 100), newNode(t, 100)
	one.respond(status(500, "x"))
	two.respond(status(500, "x"))
	p := startProxy(t, Config{}, one, two)
	start := time.Now()
	const total = 1000
	for i := range total {
		p.get(t, fmt.Sprintf("/v2/accounts/SP%d", i)).want(t, 500, "x")
	}
	allowed := total + total/5 + retriesMin + int64(retriesMin*time.Since(start).Seconds()) + 1
	if n := one.requests.Load() + two.requests.Load(); n > allowed {
		t.Errorf("%d requests at the nodes for %d client requests, want at most %d", n, total, allowed)
	}
}

// A node that lies about its height, or lags, serves only if no other node does.
func TestLiarAndLaggard(t *testing.T) {
	one, two, laggard, liar := newNode(t, 100), newNode(t, 101), newNode(t, 50), newNode(t, 100_000)
	liar.fork.Store(7)
	liar.respond(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v3/blocks/") {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, "a lie")
	})
	p := startProxy(t, Config{}, one, two, laggard, liar)
	p.untilState(t, liar, "ahead")
	p.untilState(t, laggard, "lagging")
	for i := range 50 {
		got := p.get(t, fmt.Sprintf("/v2/accounts/SP%d", i))
		got.want(t, 200, "accounts")
		if got.node() != one.name && got.node() != two.name || got.header.Get("X-Backend-Lag") != "" {
			t.Fatalf("%s answered, lag %q", got.node(), got.header.Get("X-Backend-Lag"))
		}
	}
	one.syncing.Store(true)
	two.chain.Store(99)
	p.untilState(t, one, "syncing")
	p.untilState(t, two, "foreign")
	got := p.get(t, "/v2/accounts/SP1")
	got.want(t, 200, "accounts")
	if got.node() != one.name || got.header.Get("X-Backend-Lag") == "" || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the least lagging node should serve and tell its lag; %s served, %v", got.node(), got.header)
	}
	one.stop()
	laggard.stop()
	liar.stop()
	p.untilState(t, liar, "down")
	p.get(t, "/v2/accounts/SP2").want(t, 503, "foreign")
	if n := two.requests.Load(); n > 60 {
		t.Errorf("the foreign node had %d requests", n)
	}
}

// A node far ahead that knows the others' tip is trusted, because then the others are stuck.
func TestStuckNode(t *testing.T) {
	stuck, good := newNode(t, 100), newNode(t, 500)
	good.fork.Store(1)
	p := startProxy(t, Config{}, stuck, good)
	p.untilState(t, stuck, "lagging")
	p.untilState(t, good, "serving")
}

func TestQueueFull(t *testing.T) {
	node := newNode(t, 100)
	release := make(chan struct{})
	node.respond(func(http.ResponseWriter, *http.Request) { <-release })
	p := startProxy(t, Config{ConcurrencyPerNode: 1, QueueLength: 1, QueueWait: 30 * time.Second}, node)
	var waiting sync.WaitGroup
	for i := range 2 {
		waiting.Go(func() { p.get(t, fmt.Sprintf("/v2/accounts/SP%d", i)).want(t, 200, "") })
		eventually.Holds(t, "the request holds or waits for a seat", func() bool { s := p.Nodes()[0]; return s.InFlight+s.Queued == int64(i+1) })
	}
	got := p.get(t, "/v2/accounts/SP9")
	got.want(t, 503, "busy")
	if got.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
	}
	close(release)
	waiting.Wait()
}

func TestRateLimit(t *testing.T) {
	node := newNode(t, 100)
	p := startProxy(t, Config{RateLimit: 1e-3}, node)
	got := p.get(t, "/v2/accounts/SP1")
	got.want(t, 200, "")
	if got.header.Get("RateLimit-Limit") != "1" || got.header.Get("RateLimit-Remaining") != "0" || got.header.Get("RateLimit-Reset") != "1000" {
		t.Errorf("the first request: got %v", got.header)
	}
	got = p.get(t, "/v2/accounts/SP9")
	got.want(t, 429, "too many")
	if got.header.Get("Retry-After") != "1000" || got.header.Get("RateLimit-Remaining") != "0" || node.requests.Load() != 1 {
		t.Errorf("header %v, and %d requests at the node", got.header, node.requests.Load())
	}
	p.do(t, http.MethodPost, "/v2/transactions", "\x80").want(t, 429, "too many")
}

// When a node is slow, a second node answers, and the slow node is not ejected.
func TestHedge(t *testing.T) {
	one, two := newNode(t, 100), newNode(t, 100)
	p := startProxy(t, Config{Hedge: true, Timeouts: Timeouts{Medium: time.Hour}}, one, two) // without a second node, a read would wait forever
	for i := range 100 {
		p.get(t, fmt.Sprintf("/v2/accounts/SP%d", i)).want(t, 200, "accounts")
	}
	ended := make(chan struct{}, 100)
	one.respond(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		ended <- struct{}{}
	})
	var clients sync.WaitGroup
	for c := range 8 { // enough in-flight requests that both nodes get some
		clients.Go(func() {
			for i := range 10 {
				got, err := p.try(http.MethodGet, fmt.Sprintf("/v2/accounts/SX%d-%d", c, i), "")
				if err != nil || got.status != 200 || got.node() != two.name {
					t.Errorf("got %+v, %v", got, err)
				}
			}
		})
	}
	clients.Wait()
	eventually.Receive(t, "the slow node's request is cancelled", ended)
	if got := p.state(one); got != "serving" {
		t.Errorf("the slow node is %s", got)
	}
	eventually.Holds(t, "no seat is taken", func() bool { return p.Nodes()[0].InFlight+p.Nodes()[1].InFlight == 0 })
}
