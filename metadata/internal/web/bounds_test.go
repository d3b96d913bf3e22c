package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
	"strata/metadata/internal/web"
)

// M1, and the parts of a response that an exchange keeps.
func TestWholeResponse(t *testing.T) {
	t.Parallel()
	requests := make(chan *http.Request, 1)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests <- r
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
		w.Header().Set("Set-Cookie", "a=b")
		_, _ = io.WriteString(w, "hello")
	})
	c := newClient(t, allowAll())
	before := time.Now().Round(0)
	exchanges := c.Get(t.Context(), direct("http://user:word@"+s.hostPort()+"/a b?c d=é%20"), limit, "application/json, */*", anything)
	if len(exchanges) != 1 {
		t.Fatalf("got %d exchanges, want 1", len(exchanges))
	}
	e := exchanges[0]
	wantBody(t, e, "hello")
	want := map[string]string{
		"content-type": "application/json", "content-length": "5", "etag": `"1"`,
		"last-modified": "Wed, 21 Oct 2015 07:28:00 GMT",
	}
	if fmt.Sprint(e.Header) != fmt.Sprint(want) {
		t.Errorf("got header %v, want %v", e.Header, want)
	}
	if e.Method != http.MethodGet || e.URL != "http://"+s.hostPort()+"/a b?c d=é%20" || e.Gateway != "" {
		t.Errorf("got %s %s through %q", e.Method, e.URL, e.Gateway)
	}
	if e.StartedAt.Before(before) || e.TookMicros <= 0 {
		t.Errorf("got a start at %s and %d µs", e.StartedAt, e.TookMicros)
	}
	r := <-requests
	if got := r.Header.Get("Accept"); got != "application/json, */*" {
		t.Errorf("Accept is %q", got)
	}
	if got := r.Header.Get("User-Agent"); got != web.UserAgentDefault {
		t.Errorf("User-Agent is %q", got)
	}
	if got := r.Header.Get("Accept-Encoding"); got != "identity" {
		t.Errorf("Accept-Encoding is %q", got)
	}
	if got := r.URL.RequestURI(); got != "/a%20b?c%20d=%C3%A9%20" {
		t.Errorf("the path is %q", got)
	}
	if name, word, ok := r.BasicAuth(); !ok || name != "user" || word != "word" {
		t.Errorf("credentials are %q, %q", name, word)
	}
}

// M11: a body of up to the limit is accepted, and a longer one is not, whether or not the server states its length.
func TestSizeLimit(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		if r.URL.Query().Has("length") {
			w.Header().Set("Content-Length", strconv.Itoa(n))
		}
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(bytes.Repeat([]byte("x"), n))
	})
	c := newClient(t, allowAll())
	for n, tooLarge := range map[int]bool{0: false, 500: false, 2000: false, 2001: true, 5000: true} {
		for _, how := range []string{"", "&length"} {
			e := c.Get(t.Context(), direct(fmt.Sprintf("%s/?n=%d%s", s.URL, n, how)), 2000, "", anything)[0]
			if tooLarge {
				wantFailure(t, e, fetch.FailureTooLarge, "2000 bytes")
				continue
			}
			wantBody(t, e, strings.Repeat("x", n))
			if e.Body == nil {
				t.Error("an empty body looks like a missing one")
			}
		}
	}
}

func TestEndlessBody(t *testing.T) {
	t.Parallel()
	left := make(chan int, 1)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent, chunk := 0, make([]byte, 32<<10)
		for r.Context().Err() == nil {
			n, err := w.Write(chunk)
			sent += n
			if err != nil {
				break
			}
		}
		left <- sent
	})
	e := getOne(t, newClient(t, allowAll()), s.URL)
	wantFailure(t, e, fetch.FailureTooLarge, "1000000 bytes")
	if e.Status != http.StatusOK {
		t.Errorf("got status %d, want 200", e.Status)
	}
	select {
	case <-left: // the client closed the connection and did not drain it
	case <-time.After(2 * time.Minute):
		t.Error("the server is still sending")
	}
}

func gzipped(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(w.Write(body))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

// A server may compress a body although the request excludes that, or have it stored so and not know. Then the limit also
// applies to the decompressed body.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	empty := gzipped(t, nil)
	for name, c := range map[string]struct {
		coding string
		sent   []byte
		check  func(*testing.T, fetch.Exchange)
	}{
		"unpacked": {"gzip", gzipped(t, []byte("hello")), func(t *testing.T, e fetch.Exchange) {
			wantBody(t, e, "hello")
			if e.Header[web.HeaderDecoded] != "gzip" || e.Header["content-encoding"] != "" || e.Header["content-length"] != "" {
				t.Errorf("got header %v", e.Header)
			}
		}},
		"bomb": {"gzip", gzipped(t, make([]byte, 8<<20)), func(t *testing.T, e fetch.Exchange) {
			wantFailure(t, e, fetch.FailureTooLarge, "1000000 bytes")
		}},
		"many empty members": {"x-gzip", bytes.Repeat(empty, limit/len(empty)+1), func(t *testing.T, e fetch.Exchange) {
			wantFailure(t, e, fetch.FailureTooLarge, "1000000 bytes")
		}},
		"empty": {"gzip", nil, func(t *testing.T, e fetch.Exchange) { wantBody(t, e, "") }},
		"no gzip": {"gzip", []byte("hello, I am no gzip"), func(t *testing.T, e fetch.Exchange) {
			wantFailure(t, e, fetch.FailureConnection, "not the gzip")
		}},
		"cut": {"gzip", gzipped(t, []byte("hello"))[:20], func(t *testing.T, e fetch.Exchange) {
			wantFailure(t, e, fetch.FailureConnection, "unzipping")
		}},
		"unpacked, not said": {"", gzipped(t, []byte("hello")), func(t *testing.T, e fetch.Exchange) {
			wantBody(t, e, "hello")
			if e.Header[web.HeaderDecoded] != "gzip" || e.Header["content-length"] != "" {
				t.Errorf("got header %v", e.Header)
			}
		}},
		"bomb, not said": {"identity", gzipped(t, make([]byte, 8<<20)), func(t *testing.T, e fetch.Exchange) {
			wantFailure(t, e, fetch.FailureTooLarge, "1000000 bytes")
		}},
		"empty, not said": {"", empty, func(t *testing.T, e fetch.Exchange) { wantBody(t, e, "") }},
		"begins like gzip": {"", []byte("\x1f\x8b\x08hello"), func(t *testing.T, e fetch.Exchange) {
			wantBody(t, e, "\x1f\x8b\x08hello")
			if e.Header[web.HeaderDecoded] != "" {
				t.Errorf("got header %v", e.Header)
			}
		}},
		"cut, not said": {"", gzipped(t, []byte("hello"))[:20], func(t *testing.T, e fetch.Exchange) {
			wantBody(t, e, string(gzipped(t, []byte("hello"))[:20]))
		}},
		"of another coding": {"br", []byte("hello"), func(t *testing.T, e fetch.Exchange) {
			wantBody(t, e, "hello")
			if e.Header["content-encoding"] != "br" {
				t.Errorf("got header %v", e.Header)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.coding != "" {
					w.Header().Set("Content-Encoding", c.coding)
				}
				_, _ = w.Write(c.sent)
			})
			c.check(t, getOne(t, newClient(t, allowAll()), s.URL))
		})
	}
}

// If the status is an error, a body that can't be read is not a failure.
func TestBodyOfAnErrorStatus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body   string
		stored bool
	}{
		"small": {"not here", true},
		"large": {strings.Repeat("x", 2*limit), false},
	} {
		s := serve(t, answer(http.StatusNotFound, c.body))
		e := getOne(t, newClient(t, allowAll()), s.URL)
		if e.Status != http.StatusNotFound || e.Failure != "" {
			t.Errorf("%s: got status %d, failure %q (%s)", name, e.Status, e.Failure, e.Error)
		}
		if c.stored != (string(e.Body) == c.body) || c.stored != (e.Error == "") || !c.stored && e.Body != nil {
			t.Errorf("%s: got a body of %d bytes, error %q", name, len(e.Body), e.Error)
		}
	}
	slow := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_ = http.NewResponseController(w).Flush()
		untilClientLeaves(r)
	})
	e := getOne(t, newClient(t, web.Config{AllowPrivate: true, Timeouts: web.Timeouts{Idle: 100 * time.Millisecond}}), slow.URL)
	if e.Status != http.StatusInternalServerError || e.Failure != "" || !strings.Contains(e.Error, "within 100ms") {
		t.Errorf("slow: got status %d, failure %q (%s)", e.Status, e.Failure, e.Error)
	}
}

// M12, and exchanges that last too long without ever stalling.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	const patience = 300 * time.Millisecond
	for name, c := range map[string]struct {
		handler  http.HandlerFunc
		timeouts web.Timeouts
		status   int
		says     string
	}{
		"slow headers": {
			func(_ http.ResponseWriter, r *http.Request) { untilClientLeaves(r) },
			web.Timeouts{Header: patience}, 0, "no headers within 300ms",
		},
		"trickling headers": {
			rawAnswer(t, func(conn net.Conn) {
				_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
				for i := 0; err == nil && i < 1000; i++ {
					_, err = fmt.Fprintf(conn, "X-%d: y\r\n", i)
					time.Sleep(10 * time.Millisecond)
				}
			}),
			web.Timeouts{Header: patience}, 0, "no headers within 300ms",
		},
		"body that hangs half-way": {
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, "half")
				_ = http.NewResponseController(w).Flush()
				untilClientLeaves(r)
			},
			web.Timeouts{Idle: patience}, http.StatusOK, "nothing more of the body within 300ms",
		},
		"trickling body": {
			func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					_, _ = io.WriteString(w, "x")
					_ = http.NewResponseController(w).Flush()
					time.Sleep(20 * time.Millisecond)
				}
			},
			web.Timeouts{Idle: 5 * time.Second, Overall: patience}, http.StatusOK, "not done within 300ms",
		},
		"trickling redirects": {
			func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(120 * time.Millisecond)
				http.Redirect(w, r, "/again", http.StatusFound)
			},
			web.Timeouts{Header: 5 * time.Second, Overall: patience}, 0, "not done within 300ms",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.handler)
			started := time.Now()
			e := getOne(t, newClient(t, web.Config{AllowPrivate: true, Timeouts: c.timeouts}), s.URL)
			wantFailure(t, e, fetch.FailureTimeout, c.says)
			if e.Status != c.status {
				t.Errorf("got status %d, want %d", e.Status, c.status)
			}
			if took := time.Since(started); took < patience { // the text says which of the limits it was
				t.Errorf("gave up after %s, want %s", took, patience)
			}
		})
	}
}

// Over HTTP/2, errors tell less about why a request ended.
func TestTimeoutsOverHTTP2(t *testing.T) {
	t.Parallel()
	s := prepare(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("the request came over %s", r.Proto)
		}
		if r.URL.Path == "/error" {
			w.WriteHeader(http.StatusBadGateway)
		}
		if r.URL.Path != "/headers" {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
		}
		untilClientLeaves(r)
	})
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	c := newClient(t, web.Config{AllowPrivate: true, InsecureTLS: true, Timeouts: web.Timeouts{Header: time.Second, Idle: 300 * time.Millisecond}})
	wantFailure(t, getOne(t, c, s.URL+"/headers"), fetch.FailureTimeout, "no headers within 1s")
	wantFailure(t, getOne(t, c, s.URL+"/body"), fetch.FailureTimeout, "nothing more of the body within 300ms")
	if e := getOne(t, c, s.URL+"/error"); e.Status != http.StatusBadGateway || !strings.Contains(e.Error, "within 300ms") {
		t.Errorf("got status %d (%s), want 502 and why its body is left out", e.Status, e.Error)
	}
}

// A body that keeps arriving may take longer than Timeouts.Idle.
func TestSteadyBody(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 8 {
			_, _ = io.WriteString(w, "x")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(300 * time.Millisecond)
		}
	})
	wantBody(t, getOne(t, newClient(t, web.Config{AllowPrivate: true, Timeouts: web.Timeouts{Idle: 2 * time.Second}}), s.URL), "xxxxxxxx")
}

// M10, and other ways in which a connection ends too early.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	closed := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	_ = closed.Close()
	wantFailure(t, getOne(t, newClient(t, allowAll()), "http://"+closed.Addr().String()), fetch.FailureConnection, "refused")

	reset := func(conn net.Conn) {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	}
	for name, c := range map[string]struct {
		write  func(net.Conn)
		status int
	}{
		"reset":          {reset, 0},
		"closed":         {func(net.Conn) {}, 0},
		"no HTTP":        {func(conn net.Conn) { _, _ = io.WriteString(conn, "220 smtp\r\n") }, 0},
		"endless header": {func(conn net.Conn) { _, _ = conn.Write(bytes.Repeat([]byte("x"), 1<<20)) }, 0},
		"body that is short": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
		}, http.StatusOK},
		"reset in the body": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
			time.Sleep(50 * time.Millisecond)
			reset(conn)
		}, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := getOne(t, newClient(t, allowAll()), serve(t, rawAnswer(t, c.write)).URL)
			wantFailure(t, e, fetch.FailureConnection, "")
			if e.Status != c.status || e.Error == "" {
				t.Errorf("got status %d (%s), want %d", e.Status, e.Error, c.status)
			}
		})
	}
}

// A server that switches protocols unasked does not make the client wait.
func TestSwitchedProtocol(t *testing.T) {
	t.Parallel()
	s := serve(t, rawAnswer(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		_ = conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
		_, _ = conn.Read(make([]byte, 1)) // until the client is gone
	}))
	started := time.Now()
	e := getOne(t, newClient(t, allowAll()), s.URL)
	if e.Status != http.StatusSwitchingProtocols || !strings.Contains(e.Error, "101") || time.Since(started) > time.Minute {
		t.Errorf("got status %d (%s) after %s", e.Status, e.Error, time.Since(started))
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	s := prepare(answer(http.StatusOK, "{}"))
	s.StartTLS()
	t.Cleanup(s.Close)
	wantFailure(t, getOne(t, newClient(t, allowAll()), s.URL), fetch.FailureConnection, "certificate")
	if s.requests.Load() != 0 {
		t.Error("a request was sent to a host without a valid certificate")
	}
	wantBody(t, getOne(t, newClient(t, web.Config{AllowPrivate: true, InsecureTLS: true}), s.URL), "{}")
}

// D20: after a cancellation, Get returns at once, and without an exchange that looks like the host's fault.
func TestCancellation(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 8)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		untilClientLeaves(r)
	})
	c := newClient(t, web.Config{AllowPrivate: true, PerHostConcurrency: 1})
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan []fetch.Exchange)
	for range 2 { // one request is sent, and the other waits for a slot
		go func() { results <- c.Get(ctx, direct(s.URL, s.URL), limit, "", anything) }()
	}
	<-arrived
	cancel()
	for range 2 {
		select {
		case exchanges := <-results:
			if len(exchanges) != 0 {
				t.Errorf("got %+v for cancelled requests", exchanges)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("Get did not return after the cancellation")
		}
	}
	if n := s.requests.Load(); n != 1 {
		t.Errorf("the server saw %d requests, want 1", n)
	}
	if exchanges := c.Get(ctx, direct(s.URL), limit, "", anything); len(exchanges) != 0 {
		t.Errorf("got %+v with an ended context", exchanges)
	}
}

// D7: the caller's deadline counts as a timeout.
func TestDeadlineOfTheCaller(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { untilClientLeaves(r) })
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	exchanges := newClient(t, allowAll()).Get(ctx, direct(s.URL, s.URL), limit, "", anything)
	if len(exchanges) != 1 {
		t.Fatalf("got %d exchanges, want the one that was cut", len(exchanges))
	}
	wantFailure(t, exchanges[0], fetch.FailureTimeout, "deadline")
}
