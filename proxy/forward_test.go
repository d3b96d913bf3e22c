package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// A request and its answer pass unchanged, except for fields about the connection and fields that are private.
func TestPassThrough(t *testing.T) {
	node := newNode(t, 100)
	heads := make(chan http.Header, 1)
	body := []byte("{\"n\": 18446744073709551615, \"bytes\": \"\\u0000\xff\"}\n")
	node.respond(func(w http.ResponseWriter, r *http.Request) {
		heads <- r.Header.Clone()
		w.Header().Set("Content-Type", "application/json; odd=1")
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("X-Private", "1")
		w.Header().Set("Connection", "X-Private")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(body)
	})
	p := startProxy(t, Config{}, node)
	got := p.do(t, http.MethodPost, "/v2/contracts/call-read/SP1/c/is-ok%3F?tip=latest", `{"sender":"SP1"}`,
		"Content-Type", "application/json", "Accept", "text/x", "Cookie", "secret", "X-Forwarded-For", "127.0.0.9", "Authorization", "token",
		"Traceparent", strings.Repeat("x", 5000))
	if got.status != http.StatusTeapot || got.body != string(body) || got.header.Get("Content-Type") != "application/json; odd=1" {
		t.Errorf("got %+v", got)
	}
	for _, name := range []string{"Set-Cookie", "X-Private"} {
		if got.header.Get(name) != "" {
			t.Errorf("%s passed", name)
		}
	}
	if origins := got.header["Access-Control-Allow-Origin"]; len(origins) != 1 || origins[0] != "*" {
		t.Errorf("Access-Control-Allow-Origin %q", origins)
	}
	head := <-heads
	for name := range head {
		switch name {
		case "Accept", "Content-Type", "Content-Length", "X-Request-Id":
		default:
			t.Errorf("the node got %s: %s", name, head[name])
		}
	}
	if head.Get("Accept") != "text/x" || head.Get("Content-Type") != "application/json" {
		t.Errorf("the node got %v", head)
	}
	if got.header.Get("X-Strata-Node") != node.name || got.header.Get("X-Strata-Tries") != "1" {
		t.Errorf("trace: %v", got.header)
	}
}

func TestMethodsAndTargets(t *testing.T) {
	node := newNode(t, 100)
	p := startProxy(t, Config{}, node)
	p.get(t, "/v2/accounts/SP1?proof=0&x=%2F%2e").want(t, 200, `"target":"/v2/accounts/SP1?proof=0&x=%2F%2e"`)
	p.do(t, http.MethodPost, "/v2/map_entry/SP1/c/m", `"0x00"`).want(t, 200, `"body":"\"0x00\""`)
	p.do(t, http.MethodDelete, "/v3/unknown", "").want(t, 200, `"method":"DELETE"`)
	p.get(t, "/v3/unknown").want(t, 200, `"method":"GET"`)

	full := p.get(t, "/v2/accounts/SP2")
	head := p.do(t, http.MethodHead, "/v2/accounts/SP2", "")
	if head.status != 200 || head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(full.body)) ||
		head.header.Get("X-Canonical-Stacks-Tip-Height") != "100" {
		t.Errorf("HEAD: %+v", head)
	}
}

func TestRefusals(t *testing.T) {
	node := newNode(t, 100)
	p := startProxy(t, Config{BodyLimit: 1000}, node)
	tests := []struct {
		method, target, body string
		status               int
		says                 string
	}{
		{"POST", "/v3/block_proposal", "{}", 403, "AllowOperator"},
		{"POST", "/v3/block%5Fproposal", "{}", 403, "AllowOperator"},
		{"GET", "/v3/blocks/replay/ab", "", 403, "AllowOperator"},
		{"POST", "/v3/blocks/upload/", "x", 403, "AllowOperator"},
		{"POST", "/v2/transactions", strings.Repeat("x", 1001), 413, "larger"},
		{"GET", "/metrics", "", 404, "/v2/"},
		{"GET", "/v2/../secret", "", 400, "dots"},
		{"GET", "/v2/%2e%2e/secret", "", 400, "dots"},
		{"GET", "/v2/a%2f..%2fb", "", 400, "dots"},
		{"GET", "/v2//info", "", 400, "dots"},
		{"GET", "/v2/a%5cb", "", 400, "dots"},
		{"GET", "/v2/a%00b", "", 400, "dots"},
		{"GET", "/v2/a%0d%0aHost:%20x", "", 400, "dots"},
		{"GET", "/v2/a%252e", "", 400, "dots"},
		{"GET", "/v2/x?" + strings.Repeat("q", 5000), "", 414, "longer"},
		{"TRACE", "/v2/info", "", 405, "method"},
		{"GET", "/v3/health", "", 400, "X-Strata-Node"},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.target[:min(len(tt.target), 30)], func(t *testing.T) {
			var header []string
			if tt.target == "/v3/health" {
				header = []string{"X-Strata-Node", "nobody"}
			}
			got := p.do(t, tt.method, tt.target, tt.body, header...)
			got.want(t, tt.status, tt.says)
			if got.header.Get("Content-Type") != "application/json" || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("header %v", got.header)
			}
		})
	}
	if n := node.requests.Load(); n != 0 {
		t.Errorf("%d refused requests reached the node", n)
	}
}

func TestAllowOperator(t *testing.T) {
	node := newNode(t, 100)
	authorization := make(chan string, 1)
	node.respond(func(_ http.ResponseWriter, r *http.Request) { authorization <- r.Header.Get("Authorization") })
	p := startProxy(t, Config{AllowOperator: true}, node)
	p.do(t, "POST", "/v3/block_proposal", "{}", "Authorization", "token").want(t, 200, "")
	if got := <-authorization; got != "token" {
		t.Errorf("the node got authorization %q", got)
	}
}

// A body without a length is measured while it arrives. If it is too long, none of it reaches a node.
func TestChunkedBodyLimit(t *testing.T) {
	node := newNode(t, 100)
	p := startProxy(t, Config{BodyLimit: 1000}, node)
	request := must.Get(http.NewRequest(http.MethodPost, p.url+"/v2/transactions", io.LimitReader(zeros{}, 5000)))(t)
	response := must.Get(p.client.Do(request))(t)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusRequestEntityTooLarge || node.requests.Load() != 0 {
		t.Errorf("status %d, and %d requests reached the node", response.StatusCode, node.requests.Load())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestPreflight(t *testing.T) {
	node := newNode(t, 100)
	p := startProxy(t, Config{}, node)
	got := p.do(t, http.MethodOptions, "/v2/transactions", "", "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "content-type,x-hiro-product")
	if got.status != 204 || got.header.Get("Access-Control-Allow-Origin") != "*" ||
		got.header.Get("Access-Control-Allow-Headers") != "content-type,x-hiro-product" ||
		!strings.Contains(got.header.Get("Access-Control-Allow-Methods"), "POST") {
		t.Errorf("got %+v", got)
	}
	if node.requests.Load() != 0 {
		t.Error("OPTIONS reached the node")
	}
}

// sendRaw sends text unchanged and returns all bytes of the answer.
func sendRaw(t testing.TB, p *testProxy, text string) string {
	t.Helper()
	connection := p.dial(t)
	_ = connection.SetDeadline(time.Now().Add(2 * time.Minute))
	_, _ = io.WriteString(connection, text)
	answer, _ := io.ReadAll(connection)
	return string(answer)
}

// No request makes the proxy contact a host other than its nodes.
func TestForeignTargets(t *testing.T) {
	node, victim := newNode(t, 100), newNode(t, 100)
	p := startProxy(t, Config{}, node)
	for _, text := range []string{
		"GET http://" + victim.address + "/v2/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"GET //" + victim.address + "/v2/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"GET /v2/x HTTP/1.1\r\nHost: " + victim.address + "\r\nConnection: close\r\n\r\n",
		"GET /v2/x@" + victim.address + "/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"GET @" + victim.address + "/v2/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"CONNECT " + victim.address + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"GET /v2/../../" + victim.address + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"GET /v2/x HTTP/1.1\r\nHost: a\r\nX-Forwarded-Host: " + victim.address + "\r\nConnection: close\r\n\r\n",
	} {
		if answer := sendRaw(t, p, text); !strings.HasPrefix(answer, "HTTP/1.1 ") {
			t.Errorf("%q was answered with %q", text, answer)
		}
	}
	if n := victim.requests.Load(); n != 0 {
		t.Errorf("%d requests reached a host that is not in the pool", n)
	}
}

// A request whose end is uncertain is refused before a node sees it.
func TestSmuggling(t *testing.T) {
	node := newNode(t, 100)
	p := startProxy(t, Config{}, node)
	for _, text := range []string{
		"POST /v2/map_entry/a/b/c HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
		"POST /v2/map_entry/a/b/c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\nabcde",
		"POST /v2/map_entry/a/b/c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
		"POST /v2/map_entry/a/b/c HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nabcde",
		"POST /v2/map_entry/a/b/c HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nabcde",
	} {
		if answer := sendRaw(t, p, text); !strings.HasPrefix(answer, "HTTP/1.1 4") && !strings.HasPrefix(answer, "HTTP/1.1 5") {
			t.Errorf("%q was answered with %q", text, answer)
		}
	}
	if n := node.requests.Load(); n != 0 {
		t.Errorf("%d of these requests reached the node", n)
	}
	// Given both a length and chunks, net/http takes the chunks (RFC 9112 6.3). The node gets one request with one
	// length, and the bytes after it are not taken for another request.
	both := "POST /v2/map_entry/a/b/c HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"5\r\nabcde\r\n0\r\n\r\nGET /v3/smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
	answer := sendRaw(t, p, both)
	if strings.Contains(answer, "smuggled") || node.requests.Load() > 1 {
		t.Errorf("answered with %q, and the node had %d requests", answer, node.requests.Load())
	}
}

// A long answer is streamed byte for byte, and the seat is free afterwards.
func TestStreaming(t *testing.T) {
	node := newNode(t, 100)
	random := rand.NewChaCha8([32]byte{1})
	long := make([]byte, 5*BufferMax+123)
	_, _ = random.Read(long)
	more := make(chan struct{}, 16)
	node.respond(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		if strings.HasSuffix(r.URL.Path, "sized") {
			w.Header().Set("Content-Length", fmt.Sprint(len(long)))
		}
		_, _ = w.Write(long[:2*BufferMax])
		_ = http.NewResponseController(w).Flush()
		<-more
		_, _ = w.Write(long[2*BufferMax:])
	})
	p := startProxy(t, Config{}, node)
	for _, target := range []string{"/v3/tenures/sized", "/v3/tenures/chunked"} {
		response := must.Get(p.client.Get(p.url + target))(t)
		begin := make([]byte, BufferMax)
		must.Get(io.ReadFull(response.Body, begin))(t) // while the node holds the end back
		more <- struct{}{}
		rest, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !bytes.Equal(begin, long[:BufferMax]) || !bytes.Equal(rest, long[BufferMax:]) {
			t.Errorf("%s: %d bytes, %v; want %d", target, len(begin)+len(rest), err, len(long))
		}
	}
	eventually.Holds(t, "no seat is taken", func() bool { return p.Nodes()[0].InFlight == 0 })
}

// A long answer that is cut short is an error for the client, and does not look whole.
func TestStreamCut(t *testing.T) {
	node := newNode(t, 100)
	node.respond(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 3*BufferMax))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	p := startProxy(t, Config{}, node)
	for range 3 {
		if r, err := p.try(http.MethodGet, "/v3/tenures/x", ""); err == nil {
			t.Fatalf("the client got %d bytes without an error", len(r.body))
		}
	}
	eventually.Holds(t, "no seat is taken", func() bool { return p.Nodes()[0].InFlight == 0 })
}

// When the client leaves, the proxy cancels the request to the node.
func TestCancellation(t *testing.T) {
	node := newNode(t, 100)
	started, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	node.respond(func(_ http.ResponseWriter, r *http.Request) {
		started <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	})
	p := startProxy(t, Config{}, node)
	for _, target := range []string{"/v2/accounts/SP1", "/v3/unknown"} { // one that is shared and one that isn't
		connection := p.dial(t)
		_, _ = fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", target)
		<-started
		_ = connection.Close()
		eventually.Receive(t, target+": the request to the node is cancelled", ended)
	}
	eventually.Holds(t, "no seat is taken", func() bool { return p.Nodes()[0].InFlight == 0 })
	if got := p.state(node); got != "serving" {
		t.Errorf("the node is %s because clients left", got)
	}
}

// FuzzForward sends arbitrary requests and checks what reaches the node.
func FuzzForward(f *testing.F) {
	node := newNode(f, 100)
	var mu sync.Mutex
	var trouble string
	node.respond(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Host != node.address || r.ContentLength < 0 || len(r.Header) > 5 || strings.Contains(r.URL.Path, "..") ||
			!strings.HasPrefix(r.URL.Path, "/v2/") && !strings.HasPrefix(r.URL.Path, "/v3/") || strings.HasPrefix(r.URL.Path, "/v3/block_proposal") {
			trouble = fmt.Sprintf("%s %s of %s, %v", r.Method, r.RequestURI, r.Host, r.Header)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	p := startProxy(f, Config{BodyLimit: 100}, node)
	f.Add("GET", "/v2/info", "Accept: */*", []byte(nil))
	f.Add("POST", "/v3/block_proposal", "Content-Type: x\r\nConnection: keep-alive, Host", []byte("{}"))
	f.Add("POST", "/v2/transactions?a=b", "Transfer-Encoding: chunked", []byte("1\r\na\r\n0\r\n\r\n"))
	f.Add("GET", "http://127.0.0.1/v2/../x%2e%2E", "Host: b", []byte("x"))
	var requests atomic.Int64
	f.Fuzz(func(t *testing.T, method, target, header string, body []byte) {
		requests.Add(1)
		text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n%s\r\nContent-Length: %d\r\n\r\n%s", method, target, header, len(body), body)
		connection := p.dial(t)
		_ = connection.SetDeadline(time.Now().Add(2 * time.Minute))
		_, _ = io.WriteString(connection, text)
		_ = connection.(*net.TCPConn).CloseWrite()
		if response, err := http.ReadResponse(bufio.NewReader(connection), nil); err == nil {
			_ = response.Body.Close()
		}
		mu.Lock()
		defer mu.Unlock()
		if trouble != "" {
			t.Fatalf("the node got %s", trouble)
		}
	})
}
