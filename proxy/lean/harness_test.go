package lean

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strata/internal/testkit/logbuffer"
)

// testServer is a running Server that counts the requests which it and net/http serve.
type testServer struct {
	*Server
	address      string
	lean, others atomic.Int64 // others counts those of net/http
	served       chan error
	log          logbuffer.Buffer
}

// startServer starts a server that serves plain requests for /plain/ itself, and all others with net/http. change may
// be nil.
func startServer(tb testing.TB, handler http.HandlerFunc, change func(*http.Server), stall ...time.Duration) *testServer {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &testServer{address: listener.Addr().String(), served: make(chan error, 1)}
	counting := func(w http.ResponseWriter, r *http.Request) {
		if _, ours := w.(*response); ours {
			s.lean.Add(1)
		} else {
			s.others.Add(1)
		}
		handler(w, r)
	}
	server := &http.Server{Handler: http.HandlerFunc(counting), ErrorLog: log.New(&s.log, "", 0)}
	if change != nil {
		change(server)
	}
	s.Server = &Server{HTTP: server, Serves: func(target string) bool { return strings.HasPrefix(target, "/plain/") }}
	for _, d := range stall {
		s.Stall = d
	}
	go func() { s.served <- s.Serve(listener) }()
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func (s *testServer) dial(tb testing.TB) *testConn {
	tb.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return &testConn{conn, bufio.NewReader(conn)}
}

// wantCounts fails the test unless the two servers have served that many requests.
func (s *testServer) wantCounts(tb testing.TB, lean, others int64) {
	tb.Helper()
	if s.lean.Load() != lean || s.others.Load() != others {
		tb.Errorf("lean served %d requests and net/http %d; want %d and %d", s.lean.Load(), s.others.Load(), lean, others)
	}
}

type testConn struct {
	net.Conn
	reader *bufio.Reader
}

func (c *testConn) send(tb testing.TB, format string, arguments ...any) {
	tb.Helper()
	if _, err := fmt.Fprintf(c, format, arguments...); err != nil {
		tb.Fatal(err)
	}
}

// reply is an answer without its body.
type reply struct {
	status int
	header http.Header
	length int64 // as stated; -1 if it was not
	last   bool  // the connection ends after it
}

// answer reads an answer to a request of this method, with its body.
func (c *testConn) answer(tb testing.TB, method string) (reply, string) {
	tb.Helper()
	response, err := http.ReadResponse(c.reader, &http.Request{Method: method})
	if err != nil {
		tb.Fatalf("read an answer: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatalf("read the body of an answer: %v, after %q", err, body)
	}
	return reply{response.StatusCode, response.Header, response.ContentLength, response.Close}, string(body)
}

// wantEnd fails the test unless the connection ends within a time, and without further bytes.
func (c *testConn) wantEnd(tb testing.TB, within time.Duration) {
	tb.Helper()
	_ = c.SetReadDeadline(time.Now().Add(within))
	if rest, err := io.ReadAll(c.reader); isTimeout(err) || len(rest) > 0 {
		tb.Fatalf("the connection is still open: %q, %v", rest, err)
	}
}

func isTimeout(err error) bool {
	network, ok := err.(net.Error) //nolint:errorlint // a connection returns it unwrapped
	return ok && network.Timeout()
}

// echo answers with the request.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = fmt.Fprintf(w, "%s %s %q", r.Method, r.URL.RequestURI(), body)
}

func get(target string) string { return "GET " + target + " HTTP/1.1\r\nHost: here\r\n\r\n" }

func shutDown(tb testing.TB, s *testServer) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		tb.Errorf("shut down: %v", err)
	}
	if err := <-s.served; err != http.ErrServerClosed { //nolint:errorlint // as net/http returns it
		tb.Errorf("served until %v, want %v", err, http.ErrServerClosed)
	}
}
