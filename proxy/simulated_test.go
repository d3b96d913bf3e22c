package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"strata/internal/edge"
	"strata/internal/testkit/must"
	"strata/proxy/internal/policy"
)

// behaviour is what a simulated node does with requests.
type behaviour struct {
	takes  time.Duration
	status int // 0: none, the connection breaks
}

// simulatedNodes are nodes that follow the same chain.
type simulatedNodes struct {
	mu       sync.Mutex
	does     []behaviour
	heights  []int
	serial   int
	active   map[*http.Request]string // requests that no node has answered, by X-Request-Id
	received map[string]int           // by X-Request-Id
	answered map[string]bool          // with status 200, by X-Request-Id
}

const simulatedNetwork = "10.77.0."

func (s *simulatedNodes) Listen(string) (net.Listener, error) { return nil, errors.ErrUnsupported }

// Dial implements edge.World.
func (s *simulatedNodes) Dial(_ context.Context, address string) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := int(strings.TrimPrefix(address, simulatedNetwork)[0] - '0')
	if s.does[i].status < 0 {
		return nil, errors.New("connection refused")
	}
	here, there := net.Pipe()
	go s.serve(there, i)
	return here, nil
}

func (s *simulatedNodes) serve(conn net.Conn, i int) {
	requests := make(chan *http.Request)
	go func() {
		defer close(requests)
		for r := bufio.NewReader(conn); ; {
			request, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, request.Body); err != nil {
				return
			}
			requests <- request
		}
	}()
	defer func() {
		_ = conn.Close()
		for range requests {
		}
	}()
	for r := range requests {
		if !s.answer(conn, r, i, requests) {
			return
		}
	}
}

// answer answers a request, unless its connection ends before.
func (s *simulatedNodes) answer(conn net.Conn, r *http.Request, i int, ended <-chan *http.Request) bool {
	id := r.Header.Get("X-Request-Id")
	s.mu.Lock()
	does, height := s.does[i], s.heights[i]
	s.serial++
	body := fmt.Sprintf("%d %d", height, s.serial)
	if id == "0" { // a probe
		does = behaviour{time.Millisecond, 200}
		body = fmt.Sprintf(`{"network_id":1,"burn_block_height":7,"stacks_tip_height":%d,"stacks_tip":"%064d","stacks_tip_consensus_hash":"%040d"}`, height, height, 9)
	} else {
		s.active[r] = id
		s.received[id]++
	}
	s.mu.Unlock()
	timer := time.NewTimer(does.takes)
	defer timer.Stop()
	cut := false
	select {
	case <-timer.C:
	case <-ended:
		cut = true
	}
	s.mu.Lock()
	delete(s.active, r)
	s.answered[id] = s.answered[id] || !cut && does.status == 200
	s.mu.Unlock()
	if cut || does.status <= 0 {
		return false
	}
	_, err := fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nX-Canonical-Stacks-Tip-Height: %d\r\nContent-Length: %d\r\n\r\n%s", does.status, height, len(body), body)
	return err == nil
}

// activeOf returns how many requests with an id are at nodes; those with any id for "".
func (s *simulatedNodes) activeOf(id string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.active {
		if id == "" || other == id {
			n++
		}
	}
	return n
}

// clientModel is a client of the proxy.
type clientModel struct {
	target string
	tip    int64 // of the pool when the request began
	flight int   // clients of the same flight get the same answer
	ended  chan struct{}
	left   bool
	leave  context.CancelFunc
	status int
	body   string
	source string
	began  time.Time
	took   time.Duration
}

func (c *clientModel) done() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// TestSimulatedForward lets random clients read through the proxy from nodes that fail and are slow, while the chain grows.
func TestSimulatedForward(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, simulateForward) })
}

func simulateForward(t *rapid.T) {
	together, well := rapid.Bool().Draw(t, "nodes move together"), rapid.Bool().Draw(t, "the first node is well")
	nodes := &simulatedNodes{active: map[*http.Request]string{}, received: map[string]int{}, answered: map[string]bool{}}
	leave := edge.Enter(netip.MustParsePrefix(simulatedNetwork+"0/24"), nodes)
	defer leave()
	config := Config{ChainID: 1, Hedge: rapid.Bool().Draw(t, "hedge"), ProbeInterval: 20 * time.Second}
	for i := range rapid.IntRange(1, 3).Draw(t, "nodes") {
		config.Nodes = append(config.Nodes, Node{URL: fmt.Sprintf("http://%s%d:1", simulatedNetwork, i)})
		nodes.does = append(nodes.does, drawBehaviour(t, well))
		nodes.heights = append(nodes.heights, 100)
		if !together {
			nodes.heights[i] -= rapid.IntRange(0, 1).Draw(t, "behind")
		}
	}
	if well {
		nodes.does[0] = behaviour{time.Millisecond, 200}
	}
	if rapid.Bool().Draw(t, "cache") {
		config.Cache = newMemory()
	}
	p := must.Get(New(config))(t)
	for range percentileSamples {
		p.latencies[policy.Match("GET", "/v2/accounts/a").Index].observe(10 * time.Millisecond)
	}
	var clients []*clientModel
	stop := startRun(p)
	defer stop()
	defer func() {
		for _, c := range clients {
			c.leave()
		}
	}()
	time.Sleep(time.Second)
	for range rapid.IntRange(1, 16).Draw(t, "steps") {
		switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
		case step < 5:
			c := &clientModel{target: "/v2/accounts/" + rapid.SampledFrom([]string{"a", "b"}).Draw(t, "target"), tip: p.pool.Tip().Height, flight: len(clients)}
			method := "GET"
			if rapid.IntRange(0, 4).Draw(t, "unsafe") == 0 {
				method, c.target = "POST", "/v3/write"
			}
			for _, o := range clients {
				if !o.done() && !o.left && o.target == c.target && o.tip == c.tip && method == "GET" {
					c.flight = o.flight
				}
			}
			clients = append(clients, startClient(p, c, method))
		case step == 5:
			ahead := rapid.IntRange(0, len(nodes.does)-1).Draw(t, "ahead")
			nodes.mu.Lock()
			for i := range nodes.heights {
				if together || i == ahead {
					nodes.heights[i]++
				}
			}
			nodes.mu.Unlock()
		case step == 6:
			i := rapid.IntRange(0, len(nodes.does)-1).Draw(t, "node")
			does := drawBehaviour(t, well)
			nodes.mu.Lock()
			if !well || i > 0 {
				nodes.does[i] = does
			}
			nodes.mu.Unlock()
		case step == 7 && len(clients) > 0:
			c := clients[rapid.IntRange(0, len(clients)-1).Draw(t, "client")]
			c.left = c.left || !c.done()
			c.leave()
		default:
			time.Sleep(rapid.SampledFrom([]time.Duration{2 * time.Millisecond, 12 * time.Millisecond, 100 * time.Millisecond, 21 * time.Second}).Draw(t, "time"))
		}
		synctest.Wait()
		judgeNodes(t, nodes, clients)
	}
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	judgeNodes(t, nodes, clients)
	answers := map[int]*clientModel{}
	for i, c := range clients {
		if !c.done() {
			t.Fatalf("client %d got no answer within two minutes", i)
		}
		height := int64(0)
		_, _ = fmt.Sscan(c.body, &height)
		switch {
		case c.left:
			continue
		case c.took > 50*time.Second:
			t.Fatalf("client %d got its answer after %v", i, c.took)
		case c.status == 200 && height < c.tip && (together || c.source == fromCache.String()):
			t.Fatalf("client %d got the state of block %d from %s; the pool was at %d when it asked", i, height, c.source, c.tip)
		case well && together && c.status >= 400 && c.target != "/v3/write":
			t.Fatalf("client %d got status %d, although a node is well: %s", i, c.status, c.body)
		case c.status != 200 && c.status < 400:
			t.Fatalf("client %d got status %d", i, c.status)
		}
		if o := answers[c.flight]; o != nil && (o.status != c.status || o.body != c.body) {
			t.Fatalf("clients of the same flight got %d %q and %d %q", o.status, o.body, c.status, c.body)
		}
		answers[c.flight] = c
	}
	if n := nodes.activeOf(""); n != 0 {
		t.Fatalf("%d requests are at nodes, and nobody waits", n)
	}
	for _, s := range p.Nodes() {
		if s.InFlight != 0 || s.Queued != 0 {
			t.Fatalf("in the end, %+v", s)
		}
	}
	if n := p.flights.Waiting(); n != 0 {
		t.Fatalf("%d clients wait for flights", n)
	}
}

// drawBehaviour draws what a node does. Beside one that is well, none has an answer of its own that clients get.
func drawBehaviour(t *rapid.T, well bool) behaviour {
	statuses := []int{200, 200, 200, 500, 501, 503, 429, 0, -1}
	if !well {
		statuses = append(statuses, 404)
	}
	return behaviour{
		rapid.SampledFrom([]time.Duration{time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond, time.Hour}).Draw(t, "takes"),
		rapid.SampledFrom(statuses).Draw(t, "status"),
	}
}

func startClient(p *Proxy, c *clientModel, method string) *clientModel {
	var ctx context.Context
	ctx, c.leave = context.WithCancel(context.Background())
	c.began, c.ended = time.Now(), make(chan struct{})
	go func() {
		defer close(c.ended)
		defer func() {
			if aborted := recover(); aborted != nil && !errors.Is(ctx.Err(), context.Canceled) {
				panic(aborted)
			}
		}()
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, method, c.target, nil)
		r.Header.Set("X-Strata-Trace", "1")
		p.ServeHTTP(w, r)
		c.status, c.body, c.took, c.source = w.Code, w.Body.String(), time.Since(c.began), w.Header().Get(nodeHeader)
	}()
	return c
}

// judgeNodes checks what has reached the nodes.
func judgeNodes(t *rapid.T, nodes *simulatedNodes, clients []*clientModel) {
	flights := map[int]bool{}
	for _, c := range clients {
		if !c.done() && !c.left {
			flights[c.flight] = true
		}
	}
	nodes.mu.Lock()
	defer nodes.mu.Unlock()
	active := map[string]int{}
	for _, id := range nodes.active {
		active[id]++
	}
	if len(active) > len(flights) {
		t.Fatalf("nodes work on %d requests for %d flights", len(active), len(flights))
	}
	for r, id := range nodes.active {
		if nodes.answered[id] {
			t.Fatalf("a node works on %s, which another one has answered", r.URL.Path)
		}
		most := 1
		if strings.HasPrefix(r.URL.Path, "/v2/accounts/") {
			most = 2
		}
		if active[id] > most {
			t.Fatalf("%d nodes work on %s", active[id], r.URL.Path)
		}
		if n := nodes.received[id]; most == 1 && n != 1 {
			t.Fatalf("a request that is not safe was sent %d times", n)
		}
	}
	for id, n := range nodes.received {
		if n > roundsMax*triesMax+1 {
			t.Fatalf("request %s was sent %d times", id, n)
		}
	}
}
