package wire

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
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// serveConns starts a server that passes each connection, with its number, to serve. It returns a client of the server
// and the number of connections.
func serveConns(t *testing.T, serve func(n int64, c net.Conn, r *bufio.Reader)) (*Client, *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
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
				serve(n, c, bufio.NewReader(c))
			}()
		}
	}()
	client := clientOf(t, "http://"+listener.Addr().String())
	return client, &connections
}

func clientOf(t *testing.T, address string) *Client {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	client := New(Config{URL: u, ConnectTimeout: 10 * time.Second, IdleTimeout: time.Minute, IdleMax: 8})
	t.Cleanup(client.Close)
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
	response, err := c.Do(ctx, r, 2*time.Second)
	if err != nil {
		return "", err
	}
	defer response.Close()
	body, _, err := response.ReadMax(nil, 1<<20)
	return string(body), err
}

func get() *Request { return &Request{Method: http.MethodGet, Target: "/v2/info"} }

func TestKeepsConnections(t *testing.T) {
	bodies := []string{okAnswer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\nX-Trailer: 1\r\n\r\n"}
	client, connections := serveConns(t, func(_ int64, c net.Conn, r *bufio.Reader) {
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

// Bytes that follow an answer on its connection are not taken for another answer.
func TestDropsConnectionWithMore(t *testing.T) {
	client, connections := serveConns(t, func(_ int64, c net.Conn, r *bufio.Reader) {
		if _, more := readRequest(r); more {
			_, _ = io.WriteString(c, okAnswer+"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
			_, _ = readRequest(r)
		}
	})
	for range 3 {
		if body, err := client.text(t.Context(), get()); body != "ok" || err != nil {
			t.Fatalf("got %q, %v", body, err)
		}
	}
	if n := connections.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// If a node closes each connection after one answer without announcing it, all requests still succeed.
func TestSendsAgainAfterIdle(t *testing.T) {
	client, _ := serveConns(t, func(_ int64, c net.Conn, r *bufio.Reader) {
		if _, more := readRequest(r); more {
			_, _ = io.WriteString(c, okAnswer)
		}
	})
	for range 20 {
		if body, err := client.text(t.Context(), get()); body != "ok" || err != nil {
			t.Fatalf("got %q, %v", body, err)
		}
	}
}

// A request with Once is not sent twice, even if the connection breaks before the answer.
func TestOnce(t *testing.T) {
	var seen atomic.Int64
	client, _ := serveConns(t, func(n int64, c net.Conn, r *bufio.Reader) {
		if _, more := readRequest(r); more && n == 1 {
			_, _ = io.WriteString(c, okAnswer)
			_, _ = readRequest(r) // stays open and idle
			return
		}
		seen.Add(1)
	})
	if _, err := client.text(t.Context(), get()); err != nil {
		t.Fatal(err)
	}
	_, err := client.text(t.Context(), &Request{Method: http.MethodPost, Target: "/v3/x", Body: []byte("1"), Once: true})
	var failed *Error
	if !errors.As(err, &failed) || failed.Stage != StageHead {
		t.Errorf("got %v, want an error of stage %q", err, StageHead)
	}
	if n := seen.Load(); n != 1 {
		t.Errorf("the request was sent %d times, want once", n)
	}
}

func TestStages(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unused := listener.Addr().String()
	_ = listener.Close()
	var failed *Error
	if _, err := clientOf(t, "http://"+unused).text(t.Context(), get()); !errors.As(err, &failed) || failed.Stage != StageConnect {
		t.Errorf("nobody listens: %v", err)
	}
	half, _ := serveConns(t, func(_ int64, c net.Conn, r *bufio.Reader) {
		_, _ = readRequest(r)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
	})
	if body, err := half.text(t.Context(), get()); !errors.As(err, &failed) || failed.Stage != StageBody || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an answer: %q, %v", body, err)
	}
	chunk, _ := serveConns(t, func(_ int64, c net.Conn, r *bufio.Reader) {
		_, _ = readRequest(r)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
	})
	if body, err := chunk.text(t.Context(), get()); !errors.As(err, &failed) || failed.Stage != StageBody {
		t.Errorf("chunks without an end: %q, %v", body, err)
	}
	odd, _ := serveConns(t, func(_ int64, c net.Conn, r *bufio.Reader) {
		_, _ = readRequest(r)
		_, _ = io.WriteString(c, "220 mail.example ESMTP\r\n")
	})
	if _, err := odd.text(t.Context(), get()); !errors.Is(err, ErrMalformed) {
		t.Errorf("not HTTP: %v", err)
	}
}

func TestTimeoutAndCancel(t *testing.T) {
	left := make(chan struct{}, 2)
	client, _ := serveConns(t, func(_ int64, _ net.Conn, r *bufio.Reader) {
		_, _ = readRequest(r)
		_, _ = r.ReadByte() // until the client hangs up
		left <- struct{}{}
	})
	start := time.Now()
	_, err := client.Do(t.Context(), get(), 50*time.Millisecond)
	var network net.Error
	if !errors.As(err, &network) || !network.Timeout() || time.Since(start) > time.Second {
		t.Errorf("timeout: %v after %v", err, time.Since(start))
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := client.Do(ctx, get(), time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for range 2 {
		select {
		case <-left:
		case <-time.After(2 * time.Minute):
			t.Fatal("the connection to the node is still open")
		}
	}
}

// Watch hands the rest of an answer from one context to another.
func TestWatch(t *testing.T) {
	client, _ := serveConns(t, func(_ int64, c net.Conn, r *bufio.Reader) {
		_, _ = readRequest(r)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
		_, _ = r.ReadByte()
	})
	first, stopFirst := context.WithCancel(t.Context())
	second, stopSecond := context.WithCancel(t.Context())
	response, err := client.Do(first, get(), 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Close()
	response.Watch(second)
	stopFirst()
	b := make([]byte, 5)
	if _, err := io.ReadFull(response, b); err != nil || string(b) != "hello" {
		t.Fatalf("got %q, %v", b, err)
	}
	time.AfterFunc(10*time.Millisecond, stopSecond)
	if _, err := response.Read(b); err == nil {
		t.Error("reading succeeded after the context had ended")
	}
}

func TestHead(t *testing.T) {
	heads := make(chan *http.Request, 2)
	client, _ := serveConns(t, func(_ int64, c net.Conn, r *bufio.Reader) {
		for {
			got, more := readRequest(r)
			if !more {
				return
			}
			heads <- got
			_, _ = io.WriteString(c, okAnswer)
		}
	})
	large := strings.Repeat("x", 5*joinMax)
	for _, body := range []string{"{}", large} {
		r := &Request{Method: "POST", Target: "/v2/x?a=b", ContentType: "application/json", Accept: "*/*", ID: 7, Body: []byte(body)}
		if _, err := client.text(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		got := <-heads
		want := http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}, "X-Request-Id": {"7"}, "Content-Length": {fmt.Sprint(len(body))}}
		if got.ContentLength != int64(len(body)) || got.URL.String() != "/v2/x?a=b" || fmt.Sprint(got.Header) != fmt.Sprint(want) {
			t.Errorf("got %s %v, want %v", got.URL, got.Header, want)
		}
	}
	if _, err := client.text(t.Context(), &Request{Method: "GET", Target: "/" + strings.Repeat("x", HeadMax)}); !errors.Is(err, ErrHeadTooLarge) {
		t.Errorf("a head of more than %d bytes: %v", HeadMax, err)
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	_, err := clientOf(t, server.URL).text(t.Context(), get())
	var failed *Error
	if !errors.As(err, &failed) || failed.Stage != StageConnect || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate of an unknown authority: %v", err)
	}
}

func TestSweep(t *testing.T) {
	client, connections := serveConns(t, func(_ int64, c net.Conn, r *bufio.Reader) {
		for {
			if _, more := readRequest(r); !more {
				return
			}
			_, _ = io.WriteString(c, okAnswer)
		}
	})
	client.config.IdleTimeout = time.Millisecond
	for range 3 {
		if _, err := client.text(t.Context(), get()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		client.Sweep()
		if len(client.idle) != 0 {
			t.Fatal("an expired connection is still there")
		}
	}
	if n := connections.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}
