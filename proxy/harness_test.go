package proxy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/domain/hash"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// fakeNode is a node on the loopback interface that can be told to misbehave. Its answers to /v2/info, and the tip
// height in all other answers, follow from height.
type fakeNode struct {
	address string
	name    string
	height  atomic.Int64
	burn    atomic.Int64
	chain   atomic.Uint32
	syncing atomic.Bool
	fork    atomic.Int64 // tips of different forks differ
	// handle answers all requests but /v2/info. If nil, the answer repeats the request.
	handle   atomic.Pointer[http.HandlerFunc]
	requests atomic.Int64 // not counting /v2/info

	mu     sync.Mutex
	server *http.Server
}

const chainID = 1

func newNode(tb testing.TB, height int64) *fakeNode {
	tb.Helper()
	n := &fakeNode{}
	n.height.Store(height)
	n.burn.Store(800_000)
	n.chain.Store(chainID)
	n.start(tb, "127.0.0.1:0")
	n.name = n.address
	tb.Cleanup(n.stop)
	return n
}

func (n *fakeNode) start(tb testing.TB, address string) {
	tb.Helper()
	var listener net.Listener
	eventually.Holds(tb, "the node listens", func() bool {
		var err error
		listener, err = net.Listen("tcp", address)
		return err == nil
	})
	n.address = listener.Addr().String()
	server := &http.Server{Handler: n}
	n.mu.Lock()
	n.server = server
	n.mu.Unlock()
	go func() { _ = server.Serve(listener) }()
}

// stop cuts all connections.
func (n *fakeNode) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.server.Close()
}

func (n *fakeNode) respond(h http.HandlerFunc) { n.handle.Store(&h) }

// tip returns the tip's block hash and its index block hash.
func (n *fakeNode) tip() (block, id hash.Hash32) {
	height := n.height.Load()
	copy(block[:], fmt.Sprintf("%d on fork %d", height, n.fork.Load()))
	return block, hash.IndexBlockHash(block, hash.Hash20{9})
}

func (n *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Canonical-Stacks-Tip-Height", fmt.Sprint(n.height.Load()))
	w.Header().Set("Access-Control-Allow-Origin", "the node's")
	if r.URL.Path == "/v2/info" {
		block, _ := n.tip()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"network_id": n.chain.Load(), "burn_block_height": n.burn.Load(), "stacks_tip_height": n.height.Load(),
			"stacks_tip": block.String()[2:], "stacks_tip_consensus_hash": hash.Hash20{9}.String()[2:],
			"is_fully_synced": !n.syncing.Load(), "server_version": "stacks-node 3.1",
		})
		return
	}
	n.requests.Add(1)
	if h := n.handle.Load(); h != nil {
		(*h)(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"method":%q,"target":%q,"body":%q}`, r.Method, r.URL.RequestURI(), body)
}

// cut ends the connection without an answer.
func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// testProxy is a running proxy with a client.
type testProxy struct {
	*Proxy
	url    string
	client *http.Client
	stop   func()
}

// startRun runs a proxy until stop is called. stop returns when Run has returned.
func startRun(p *Proxy) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

func startProxy(tb testing.TB, config Config, nodes ...*fakeNode) *testProxy {
	tb.Helper()
	for _, n := range nodes {
		config.Nodes = append(config.Nodes, Node{Name: n.name, URL: "http://" + n.address})
	}
	config.ChainID = chainID
	config.ProbeInterval = cmp.Or(config.ProbeInterval, 20*time.Millisecond)
	p := must.Get(New(config))(tb)
	stopRun := startRun(p)
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(tb)
	server := &http.Server{Handler: p}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	t := &testProxy{Proxy: p, url: "http://" + listener.Addr().String(), client: &http.Client{Transport: transport, Timeout: 30 * time.Second}}
	t.stop = sync.OnceFunc(func() {
		transport.CloseIdleConnections()
		within, give := context.WithTimeout(context.Background(), 2*time.Minute)
		defer give()
		if err := server.Shutdown(within); err != nil {
			tb.Errorf("shut the server down: %v", err)
			_ = server.Close()
		}
		if err := <-served; err != http.ErrServerClosed { //nolint:errorlint // as net/http returns it
			tb.Errorf("the server ended with %v", err)
		}
		stopRun()
	})
	tb.Cleanup(t.stop)
	eventually.Holds(tb, "every node was probed", func() bool {
		for _, s := range p.Nodes() {
			if s.State == "unasked" {
				return false
			}
		}
		return true
	})
	return t
}

func (t *testProxy) untilState(tb testing.TB, n *fakeNode, state string) {
	tb.Helper()
	eventually.Holds(tb, fmt.Sprintf("node %s is %s", n.name, state), func() bool { return t.state(n) == state })
}

func (t *testProxy) state(n *fakeNode) string {
	for _, s := range t.Nodes() {
		if s.Name == n.name {
			return s.State
		}
	}
	return ""
}

// reply is an answer read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

func (t *testProxy) do(tb testing.TB, method, target, body string, header ...string) reply {
	tb.Helper()
	r, err := t.try(method, target, body, header...)
	if err != nil {
		tb.Fatalf("%s %s: %v", method, target, err)
	}
	return r
}

func (t *testProxy) try(method, target, body string, header ...string) (reply, error) {
	request, err := http.NewRequest(method, t.url+target, bytes.NewReader([]byte(body)))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("X-Strata-Trace", "1")
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := t.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(text)}, err
}

// dial opens a connection to the proxy, which is closed at the end of the test.
func (t *testProxy) dial(tb testing.TB) net.Conn {
	tb.Helper()
	connection := must.Get(net.Dial("tcp", strings.TrimPrefix(t.url, "http://")))(tb)
	tb.Cleanup(func() { _ = connection.Close() })
	return connection
}

func (t *testProxy) get(tb testing.TB, target string) reply {
	tb.Helper()
	return t.do(tb, http.MethodGet, target, "")
}

func (r reply) node() string { return r.header.Get("X-Strata-Node") }

func (r reply) want(tb testing.TB, status int, contains string) {
	tb.Helper()
	if r.status != status || !strings.Contains(r.body, contains) {
		tb.Fatalf("got status %d, body %.300q; want %d, with %q", r.status, r.body, status, contains)
	}
}
