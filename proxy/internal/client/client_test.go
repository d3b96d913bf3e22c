package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// serveConns starts a server that passes each connection, with its number, to serve. It returns a client of the server
// and the number of connections.
func serveConns(tb testing.TB, serve func(n int64, c *net.TCPConn, r *bufio.Reader)) (*Client, *atomic.Int64) {
	tb.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(tb)
	tb.Cleanup(func() { _ = listener.Close() })
	var connections atomic.Int64
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			n := connections.Add(1)
			go func() {
				defer func() { _ = c.Close() }()
				serve(n, c.(*net.TCPConn), bufio.NewReader(c))
			}()
		}
	}()
	return clientOf(tb, "http://"+listener.Addr().String()), &connections
}

func clientOf(tb testing.TB, address string) *Client {
	tb.Helper()
	u := must.Get(url.Parse(address))(tb)
	client := New(Config{URL: u, ConnectTimeout: 10 * time.Second, IdleTimeout: time.Minute, IdleMax: 8})
	tb.Cleanup(client.Close)
	return client
}

// readRequest reads a request. It returns false if there is none.
func readRequest(r *bufio.Reader) (*http.Request, bool) {
	got, err := http.ReadRequest(r)
	if err != nil {
		return nil, false
	}
	_, _ = io.Copy(io.Discard, got.Body)
	return got, true
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func (c *Client) text(ctx context.Context, r *Request) (string, error) {
	answer, err := c.Do(ctx, r, time.Minute, 1<<20)
	if err != nil {
		return "", err
	}
	return string(answer.Body), nil
}

func get() *Request { return &Request{Method: http.MethodGet, Target: "/v2/info"} }

func TestKeepsConnections(t *testing.T) {
	t.Parallel()
	bodies := []string{okAnswer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\nX-Trailer: 1\r\n\r\n"}
	client, connections := serveConns(t, func(_ int64, c *net.TCPConn, r *bufio.Reader) {
		for i := 0; ; i++ {
			if _, more := readRequest(r); !more {
				return
			}
			_, _ = io.WriteString(c, bodies[i%2])
		}
	})
	for range 10 {
		if body, err := client.text(t.Context(), get()); body != "ok" || err != nil {
			t.Fatalf("got %q, %v", body, err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for 10 consecutive requests, want 1", n)
	}
}

// If a node closes each connection after one answer without announcing it, all requests still succeed.
func TestSendsAgainAfterIdle(t *testing.T) {
	t.Parallel()
	client, _ := serveConns(t, func(_ int64, c *net.TCPConn, r *bufio.Reader) {
		if _, more := readRequest(r); more {
			_, _ = io.WriteString(c, okAnswer)
			_, _ = r.ReadByte() // closes the connection when the next request has arrived
		}
	})
	for range 20 {
		for _, r := range []*Request{get(), {Method: http.MethodPost, Target: "/v2/fees/transaction", Body: []byte("{}")}} {
			if body, err := client.text(t.Context(), r); body != "ok" || err != nil {
				t.Fatalf("%s: got %q, %v", r.Method, body, err)
			}
		}
	}
}

// A request with Once is not sent twice, even if the connection breaks before the answer.
func TestOnce(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	client, _ := serveConns(t, func(n int64, c *net.TCPConn, r *bufio.Reader) {
		if _, more := readRequest(r); more && n == 1 {
			_, _ = io.WriteString(c, okAnswer)
			_, _ = readRequest(r) // stays open and idle
			return
		}
		seen.Add(1)
	})
	must.Get(client.text(t.Context(), get()))(t)
	_, err := client.text(t.Context(), &Request{Method: http.MethodPost, Target: "/v3/x", Body: []byte("1"), Once: true})
	var failed *Error
	if !errors.As(err, &failed) || !failed.Sent {
		t.Errorf("got %v, want an error of a request that was sent", err)
	}
	if n := seen.Load(); n != 1 {
		t.Errorf("the request was sent %d times, want once", n)
	}
}

func TestTimeoutAndCancel(t *testing.T) {
	t.Parallel()
	arrived, left := make(chan struct{}, 2), make(chan struct{}, 2)
	client, _ := serveConns(t, func(_ int64, _ *net.TCPConn, r *bufio.Reader) {
		_, _ = readRequest(r)
		arrived <- struct{}{}
		_, _ = r.ReadByte() // until the client hangs up
		left <- struct{}{}
	})
	if _, err := client.Do(t.Context(), get(), 50*time.Millisecond, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timeout: %v", err)
	}
	eventually.Receive(t, "the first request arrives", arrived)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := client.Do(ctx, get(), time.Minute, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for range 2 {
		eventually.Receive(t, "the connection to the node is closed", left)
	}
}

// The rest of a long answer outlasts the context and the timeout of its request, and ends when it stalls or is closed.
func TestRest(t *testing.T) {
	t.Parallel()
	more := make(chan struct{}, 1)
	client, _ := serveConns(t, func(_ int64, c *net.TCPConn, r *bufio.Reader) {
		_, _ = readRequest(r)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\nhello")
		<-more
		_, _ = io.WriteString(c, "world")
		_, _ = r.ReadByte()
	})
	for name, end := range map[string]func(*Rest) time.Duration{
		"stalled": func(*Rest) time.Duration { return time.Millisecond },
		"closed":  func(r *Rest) time.Duration { r.Close(); return time.Minute },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		answer, err := client.Do(ctx, get(), time.Minute, 4)
		if err != nil || answer.Rest == nil || answer.Length != 15 || string(answer.Body) != "hello" {
			t.Fatalf("got %+v, %v", answer, err)
		}
		cancel()
		more <- struct{}{}
		b := make([]byte, 16)
		if n, err := answer.Rest.Read(b, time.Minute); err != nil || string(b[:n]) != "world" {
			t.Errorf("got %q, %v", b[:n], err)
		}
		if _, err := answer.Rest.Read(b, end(answer.Rest)); err == nil || err == io.EOF { //nolint:errorlint // Read returns it as it is
			t.Errorf("%s: got %v", name, err)
		}
		answer.Rest.Close()
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	heads := make(chan *http.Request, 2)
	client, _ := serveConns(t, func(_ int64, c *net.TCPConn, r *bufio.Reader) {
		for {
			got, more := readRequest(r)
			if !more {
				return
			}
			heads <- got
			_, _ = io.WriteString(c, okAnswer)
		}
	})
	for _, body := range []string{"{}", strings.Repeat("x", 100_000)} {
		r := &Request{Method: "POST", Target: "/v2/x%2F?a=b", ContentType: "application/json", Accept: "*/*", ID: 7, Body: []byte(body)}
		must.Get(client.text(t.Context(), r))(t)
		got := <-heads
		want := http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}, "X-Request-Id": {"7"}, "Content-Length": {fmt.Sprint(len(body))}}
		if got.ContentLength != int64(len(body)) || got.RequestURI != r.Target || fmt.Sprint(got.Header) != fmt.Sprint(want) {
			t.Errorf("got %s %v, want %v", got.RequestURI, got.Header, want)
		}
	}
	if _, err := client.text(t.Context(), &Request{Method: "GET", Target: "/" + strings.Repeat("x", HeadMax)}); !errors.Is(err, ErrHeadTooLarge) {
		t.Errorf("a head of more than %d bytes: %v", HeadMax, err)
	}
}

// Fields about the connection, and those that its field Connection names, are not shown; nor are interim answers.
func TestAnswerHeader(t *testing.T) {
	t.Parallel()
	client, _ := serveConns(t, func(_ int64, c *net.TCPConn, r *bufio.Reader) {
		_, _ = readRequest(r)
		_, _ = io.WriteString(c, "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 404 None\r\ncontent-type: text/plain \r\nDATE: today\r\n"+
			"X-Odd: 1\r\nx-odd: 2\r\nX-Named: 2\r\nConnection: x-named, keep-alive\r\nContent-Length: 0\r\n\r\n")
	})
	answer, err := client.Do(t.Context(), get(), time.Minute, 0)
	if err != nil || answer.Status != 404 || answer.Rest != nil || len(answer.Header) != 2 ||
		answer.Header.Get("Content-Type") != "text/plain" || !slices.Equal(answer.Header["X-Odd"], []string{"1", "2"}) {
		t.Errorf("got %+v, %v", answer, err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	_, err := clientOf(t, server.URL).text(t.Context(), get())
	var failed *Error
	if !errors.As(err, &failed) || failed.Sent || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate of an unknown authority: %v", err)
	}
}

// BenchmarkTwoWrites asks a server that writes head and body apart, and whose system holds the body back until the head is
// acknowledged, over connections that acknowledge at once and over those of net/http.
func BenchmarkTwoWrites(b *testing.B) {
	client, _ := serveConns(b, func(_ int64, c *net.TCPConn, r *bufio.Reader) {
		_ = c.SetNoDelay(false)
		for {
			if _, more := readRequest(r); !more {
				return
			}
			head, body, _ := strings.Cut(okAnswer, "\r\n\r\n")
			_, _ = io.WriteString(c, head+"\r\n\r\n")
			_, _ = io.WriteString(c, body)
		}
	})
	delayed := clientOf(b, client.url)
	delayed.transport.DialContext = nil
	for name, c := range map[string]*Client{"at once": client, "delayed": delayed} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if body, err := c.text(b.Context(), get()); body != "ok" || err != nil {
					b.Fatalf("got %q, %v", body, err)
				}
			}
		})
	}
}
