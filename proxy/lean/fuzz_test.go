package lean

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

// describeRequest describes a request as the handler sees it.
func describeRequest(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	var header strings.Builder
	names := make([]string, 0, len(r.Header))
	for name := range r.Header {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&header, "%q: %q, ", name, r.Header[name])
	}
	u := r.URL
	return fmt.Sprintf("%s %q %s, url %q %q %q %q %v %v, host %q, length %d %v, close %v, header %s body %q %v\n", r.Method, r.RequestURI, r.Proto,
		u.Path, u.RawPath, u.RawQuery, u.Host, u.ForceQuery, u.User, r.Host, r.ContentLength, r.TransferEncoding, r.Close, header.String(), body, err)
}

// FuzzAgreesWithNetHTTP sends the same bytes, in pieces, to both servers. Both handlers must see the same requests in
// the same order.
func FuzzAgreesWithNetHTTP(f *testing.F) {
	for _, seed := range []string{
		get("/plain/"), get("/plain/a?b") + get("/plain/?") + get("/other"), "GET /plain/%41/%2f?%3f HTTP/1.1\r\nHost: h:1\r\naccept:\t*/* \r\nAccept: x\r\n\r\n",
		"POST /plain/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi" + get("/plain/"),
		"POST /plain/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
		"POST /plain/ HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get("/plain/"),
		"POST /plain/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n" + get("/plain/"),
		"GET /plain/ HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n", "GET /plain/ HTTP/1.1\nHost: h\n\n", "GET /plain/ HTTP/1.1\r\nHost: h\r\nX: \r\r\n\r\n",
		"HEAD /plain/ HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n" + get("/plain/"), "GET /plain/ HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + get("/plain/"),
		"GET //plain/ HTTP/1.1\r\nHost: h\r\n\r\n", "GET /plain/#x HTTP/1.1\r\nHost: h\r\n\r\n", "GET /plain/!'()* HTTP/1.1\r\nHost: [::1]\r\n\r\n", "\r\n" + get("/plain/"),
		"GET /plain/ HTTP/1.0\r\nHost: h\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /plain/ HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
		"POST /plain/ HTTP/1.1\r\nHost: h\r\nContent-Length: 02\r\n\r\nhi", "POST /plain/ HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n", "POST /plain/ HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhi",
		"GET /plain/ HTTP/1.1\r\nHost: h\r\nPragma: no-cache\r\n\r\n", "GET /plain/ HTTP/1.1\r\nHost: h h\r\n\r\n", "GET /plain/ HTTP/1.1\r\nHost: h\r\n:x\r\n\r\n", "GET /plain/ HTTP/1.1\r\nHost: h\r\nx\r\n\r\n",
	} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(7))
	}
	both := startBoth(f)
	f.Fuzz(func(t *testing.T, sent []byte, piece uint8) { both.agree(t, sent, int(piece)) })
}

// TestAgreesWithNetHTTP sends random requests that are composed of pieces which HTTP implementations read differently.
func TestAgreesWithNetHTTP(t *testing.T) {
	both := startBoth(t)
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(usual string, others ...string) string {
		if random.IntN(4) > 0 {
			return usual
		}
		return others[random.IntN(len(others))]
	}
	const streams = 600
	for range streams {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			end := pick("\r\n", "\r\n", "\n", "\r", "\r\r\n")
			body := pick("", "hi", "0\r\n\r\n", get("/plain/inner"))
			b.WriteString(pick("POST", "GET", "HEAD", "PUT", "post", "") + pick(" ", "  ", "\t"))
			b.WriteString(pick("/plain/", "/plain/%41?x=%zz", "/plain/%zz", "//h/a", "*", "http://h/a", "/a b", "/a#b", "/\xff", "/a?", "/?a?", "/[x]"))
			b.WriteString(pick(" HTTP/1.1", " HTTP/1.0", " HTTP/1.1 ", "", " HTTP/2.0", " http/1.1") + pick("\r\n", end))
			b.WriteString(pick("Host: h", "host:h:80", "Host: ", "Host: a b", "Host: h/x", "Host : h", "X: y", "Host: h, h") + pick("\r\n", end))
			for range random.IntN(3) {
				b.WriteString(pick("Accept: */*", "Host: h", " folded", "X:", "X:\ta\t", ": x", "X", "X y: z", "X: \x00", "X: \x7f", "X: \xe4", "x_y: \"z",
					"Connection: close", "Connection: keep-alive, x", "Connection: Keep-Alive", "Transfer-Encoding: chunked", "Transfer-Encoding: identity",
					"Transfer-Encoding:\vchunked", "transfer_encoding: chunked", "Content-Length: 5", "Content-Length : 5", "Content-Length: 0x2", "Upgrade: h2c",
					"Expect: 100-continue", "Trailer: X", "TE: trailers", "Pragma: no-cache") + pick("\r\n", end))
			}
			if body != "" || random.IntN(2) == 0 {
				length := fmt.Sprint(len(body))
				b.WriteString(pick("Content-Length: ", "content-length:", "Content-length:  ") + pick(length, "0"+length, "+"+length, length+" ", length+","+length, "1", "") + "\r\n")
			}
			b.WriteString(pick("\r\n", end) + body)
		}
		both.agree(t, []byte(b.String()), random.IntN(3)*random.IntN(40))
	}
	if both.lean.lean.Load() < streams/10 || both.lean.others.Load() < streams/10 {
		t.Errorf("lean served only %d requests, net/http %d", both.lean.lean.Load(), both.lean.others.Load())
	}
}

// bothServers runs a lean server and a net/http server, and records the requests that their handlers see.
type bothServers struct {
	lean     *testServer
	netHTTP  string // address
	mu       sync.Mutex
	requests map[string][]string // by the address of the client
}

func startBoth(tb testing.TB) *bothServers {
	tb.Helper()
	b := &bothServers{requests: map[string][]string{}}
	record := func(_ http.ResponseWriter, r *http.Request) {
		text := describeRequest(r)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.requests[r.RemoteAddr] = append(b.requests[r.RemoteAddr], text)
	}
	b.lean = startServer(tb, record, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	b.netHTTP = listener.Addr().String()
	server := &http.Server{Handler: http.HandlerFunc(record), ErrorLog: b.lean.HTTP.ErrorLog}
	go func() { _ = server.Serve(listener) }()
	tb.Cleanup(func() { _ = server.Close() })
	return b
}

// agree sends bytes to both servers, in pieces of this size (0 means all at once), and fails the test unless both see
// the same requests.
func (b *bothServers) agree(tb testing.TB, sent []byte, piece int) {
	tb.Helper()
	got, want := b.requestsAt(tb, b.lean.address, sent, piece), b.requestsAt(tb, b.netHTTP, sent, piece)
	if got != want {
		tb.Errorf("of %q, lean sees\n%s\nand net/http sees\n%s", sent, got, want)
	}
}

// requestsAt sends bytes to the server at an address, and returns the requests that it sees.
func (b *bothServers) requestsAt(tb testing.TB, address string, sent []byte, piece int) string {
	tb.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	go func() {
		left := sent
		for len(left) > 0 {
			n := len(left)
			if piece > 0 {
				n = min(n, piece)
			}
			if _, err := conn.Write(left[:n]); err != nil {
				return
			}
			left = left[n:]
		}
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(io.Discard, conn)
	me := conn.LocalAddr().String()
	_ = conn.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	defer delete(b.requests, me)
	return strings.Join(b.requests[me], "")
}

// FuzzParse checks that a plain head is exactly one head, with well-formed line ends and a permitted length.
func FuzzParse(f *testing.F) {
	f.Add("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	f.Add("POST /a?%zz HTTP/1.1\r\nContent-Length: 12\r\nHOST: h\r\nX-y:  a\tb \r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		var h head
		if !h.parse(text) {
			return
		}
		if strings.Count(text, "\n") != strings.Count(text, "\r\n") || strings.Count(text, "\r") != strings.Count(text, "\r\n") {
			t.Errorf("line ends of %q", text)
		}
		if strings.Count(text, "\r\n\r\n") != 1 || !strings.HasSuffix(text, "\r\n\r\n") {
			t.Errorf("%q is more than a head", text)
		}
		if h.length > BodyMax || h.method != "POST" && h.length > 0 {
			t.Errorf("a body of %d bytes after %q", h.length, text)
		}
	})
}
