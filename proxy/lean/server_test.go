package lean

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
)

func TestPlainRequests(t *testing.T) {
	s := startServer(t, echo, nil)
	c := s.dial(t)
	for range 2 {
		c.send(t, "%s", get("/plain/a?b=%20c"))
		if response, body := c.answer(t, "GET"); body != `GET /plain/a?b=%20c ""` || response.header.Get("Date") == "" ||
			response.header.Get("Content-Type") != "text/plain; charset=utf-8" || response.length != int64(len(body)) {
			t.Errorf("%v, %q", response, body)
		}
		c.send(t, "POST /plain/%%2F HTTP/1.1\r\nhost: here\r\ncontent-length: 5\r\nConnection: Keep-Alive\r\n\r\nhello")
		if _, body := c.answer(t, "POST"); body != `POST /plain/%2F "hello"` {
			t.Errorf("%q", body)
		}
		c.send(t, "HEAD /plain/ HTTP/1.1\r\nHost: here\r\n\r\n")
		if response, body := c.answer(t, "HEAD"); body != "" || response.length != int64(len(`HEAD /plain/ ""`)) {
			t.Errorf("HEAD: %v", response)
		}
	}
	s.wantCounts(t, 6, 0)
}

// A request that is not plain goes to net/http from its first byte on, and so do all further requests on its
// connection.
func TestHandOver(t *testing.T) {
	for name, request := range map[string]string{
		"another path":             get("/another"),
		"another method":           "PUT /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nhi",
		"chunks":                   "POST /plain/ HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
		"line ends without CR":     "GET /plain/ HTTP/1.1\nHost: here\n\n",
		"GET with a body":          "GET /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nhi",
		"a host with the target":   "GET http://here/plain/ HTTP/1.1\r\nHost: here\r\n\r\n",
		"a long head":              "GET /plain/ HTTP/1.1\r\nHost: here\r\nX: " + strings.Repeat("x", HeadMax) + "\r\n\r\n",
		"a head just too long":     "GET /plain/ HTTP/1.1\r\nHost: here\r\nX: " + strings.Repeat("x", HeadMax-40) + "\r\n\r\n",
		"a long body":              fmt.Sprintf("POST /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n%s", BodyMax+1, strings.Repeat("x", BodyMax+1)),
		"an expectation":           "POST /plain/ HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
		"bytes beyond ASCII":       "GET /plain/ HTTP/1.1\r\nHost: here\r\nX: \xc3\xa9\r\n\r\n",
		"something of the browser": "GET /plain/ HTTP/1.1\r\nHost: here\r\nPragma: no-cache\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, echo, nil)
			c := s.dial(t)
			c.send(t, "%s", get("/plain/first"))
			if _, body := c.answer(t, "GET"); body != `GET /plain/first ""` {
				t.Fatalf("%q", body)
			}
			c.send(t, "%s", request)
			response, body := c.answer(t, "GET")
			if response.status == http.StatusContinue {
				response, body = c.answer(t, "GET")
			}
			if response.status != http.StatusOK {
				t.Fatalf("%v, %q", response, body)
			}
			c.send(t, "%s", get("/plain/last"))
			if _, body := c.answer(t, "GET"); body != `GET /plain/last ""` {
				t.Errorf("%q", body)
			}
			s.wantCounts(t, 1, 2)
		})
	}
}

// The longest head and body of a plain request arrive complete.
func TestLimits(t *testing.T) {
	s := startServer(t, echo, nil)
	c := s.dial(t)
	before, after := "POST /plain/ HTTP/1.1\r\nHost: here\r\nX: ", fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n", BodyMax)
	body := strings.Repeat("y", BodyMax)
	for range 2 {
		c.send(t, "%s", before+strings.Repeat("x", HeadMax-len(before)-len(after))+after+body+get("/plain/next"))
		if _, got := c.answer(t, "POST"); got != fmt.Sprintf("POST /plain/ %q", body) {
			t.Fatalf("%d bytes came", len(got))
		}
		if _, got := c.answer(t, "GET"); got != `GET /plain/next ""` {
			t.Fatalf("%q", got)
		}
	}
	s.wantCounts(t, 4, 0)
}

// A request that net/http refuses is refused, and nothing on its connection is served.
func TestSmuggling(t *testing.T) {
	const after = "GET /plain/smuggled HTTP/1.1\r\nHost: here\r\n\r\n"
	for name, request := range map[string]string{
		"two lengths":                "POST /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nContent-Length: 50\r\n\r\n",
		"a list of lengths":          "POST /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length: 0, 46\r\n\r\n",
		"a length with a sign":       "POST /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length: +0\r\n\r\n",
		"space before the colon":     "POST /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length : 0\r\n\r\n",
		"an unknown coding":          "POST /plain/ HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: xchunked\r\n\r\n",
		"a space in front of a name": "POST /plain/ HTTP/1.1\r\n Host: here\r\n\r\n",
		"two hosts":                  "GET /plain/ HTTP/1.1\r\nHost: here\r\nHost: there\r\n\r\n",
		"no host":                    "GET /plain/ HTTP/1.1\r\n\r\n",
		"a NUL":                      "GET /plain/ HTTP/1.1\r\nHost: here\r\nX: \x00\r\n\r\n",
		"a CR alone":                 "GET /plain/ HTTP/1.1\r\nHost: here\r\nX: a\rContent-Length: 46\r\n\r\n",
		"two spaces":                 "GET  /plain/ HTTP/1.1\r\nHost: here\r\n\r\n",
		"another version":            "GET /plain/ HTTP/1.1 HTTP/1.1\r\nHost: here\r\n\r\n",
		"a broken escape":            "GET /plain/%zz HTTP/1.1\r\nHost: here\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, echo, nil)
			c := s.dial(t)
			c.send(t, "%s%s", request, after)
			if response, body := c.answer(t, "GET"); response.status < 400 {
				t.Errorf("%v, %q", response, body)
			}
			c.wantEnd(t, 2*time.Minute)
			s.wantCounts(t, 0, 0)
		})
	}
}

func TestPipelining(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/slow") {
			time.Sleep(4 * checkInterval) // until the server watches the client
		}
		echo(w, r)
	}, nil)
	c := s.dial(t)
	var all, want strings.Builder
	for i := range 40 {
		target := fmt.Sprintf("/plain/%d", i)
		if i%13 == 1 {
			target = "/plain/slow"
		}
		if i == 35 {
			target = "/other"
		}
		all.WriteString(get(target))
		fmt.Fprintf(&want, "GET %s \"\"\n", target)
	}
	// The requests are sent in pieces, so that some arrive while the handler works.
	text := all.String()
	go func() {
		for len(text) > 0 {
			n := min(len(text), 97)
			if _, err := io.WriteString(c, text[:n]); err != nil {
				return
			}
			text = text[n:]
			time.Sleep(8 * time.Millisecond)
		}
	}()
	var got strings.Builder
	for range 40 {
		_, body := c.answer(t, "GET")
		got.WriteString(body + "\n")
	}
	if got.String() != want.String() {
		t.Errorf("got %s", got.String())
	}
	s.wantCounts(t, 35, 5)
}

// A head that arrives byte by byte is served like any other.
func TestByteByByte(t *testing.T) {
	s := startServer(t, echo, nil)
	c := s.dial(t)
	for _, b := range []byte("POST /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nhi") {
		c.send(t, "%c", b)
		time.Sleep(100 * time.Microsecond)
	}
	if _, body := c.answer(t, "POST"); body != `POST /plain/ "hi"` {
		t.Errorf("%q", body)
	}
	s.wantCounts(t, 1, 0)
}

// A slow client is cut off at the timeout, however many bytes arrive meanwhile.
func TestSlowClients(t *testing.T) {
	const timeout = 300 * time.Millisecond
	limits := func(server *http.Server) {
		server.ReadHeaderTimeout, server.ReadTimeout, server.IdleTimeout = timeout, timeout, timeout
	}
	for name, begin := range map[string]string{
		"head":        "GET /plain/ HTTP/1.1\r\nX: ",
		"second head": get("/plain/") + "GET /plain/ HTTP/1.1\r\nX: ",
		"body":        "POST /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length: 5000\r\n\r\n",
		"idle":        get("/plain/"),
		"nothing":     "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, echo, limits)
			c := s.dial(t)
			began := time.Now()
			c.send(t, "%s", begin)
			if strings.HasPrefix(begin, get("/plain/")) {
				c.answer(t, "GET")
			}
			done := make(chan struct{})
			defer close(done)
			if !strings.HasSuffix(begin, "\r\n\r\n") || name == "body" {
				go func() {
					for {
						select {
						case <-done:
							return
						case <-time.After(timeout / 20):
							if name != "nothing" {
								_, _ = io.WriteString(c, "x")
							}
						}
					}
				}()
			}
			c.wantEnd(t, 2*time.Minute)
			if took := time.Since(began); took < timeout/2 || took > timeout+time.Minute {
				t.Errorf("it took %v, the timeout is %v", took, timeout)
			}
		})
	}
}

// The request's context ends when its client closes the connection, both before and after the server watches the
// client.
func TestClientLeaves(t *testing.T) {
	ended := make(chan time.Time, 1)
	began := make(chan struct{})
	s := startServer(t, func(_ http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-time.After(2 * time.Minute):
		}
		ended <- time.Now()
	}, nil)
	for _, wait := range []time.Duration{0, 5 * checkInterval} {
		c := s.dial(t)
		c.send(t, "%s", get("/plain/"))
		<-began
		time.Sleep(wait)
		left := time.Now()
		_ = c.Close()
		if took := (<-ended).Sub(left); took > time.Minute {
			t.Errorf("the context ended after %v", took)
		}
	}
	s.wantCounts(t, 2, 0)
}

// The request's context ends when the handler returns, at the latest.
func TestContextEndsWithHandler(t *testing.T) {
	contexts := make(chan context.Context, 1)
	s := startServer(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.Context().Err() != nil {
			t.Error("the context has ended before the handler")
		}
		if r.Context().Value(http.ServerContextKey) == nil || r.Context().Value(http.LocalAddrContextKey) == nil || r.Context().Value("x") != nil {
			t.Error("the context does not have the values of net/http's context")
		}
		contexts <- r.Context()
	}, nil)
	c := s.dial(t)
	for range 2 {
		c.send(t, "%s", get("/plain/"))
		c.answer(t, "GET")
		select {
		case <-(<-contexts).Done():
		case <-time.After(2 * time.Minute):
			t.Fatal("the context has not ended after the handler")
		}
	}
}

func TestPanics(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "half of")
		if r.URL.Path == "/plain/abort" {
			panic(http.ErrAbortHandler)
		}
		panic("on purpose")
	}, nil)
	c := s.dial(t)
	c.send(t, "%s", get("/plain/abort"))
	c.wantEnd(t, 2*time.Minute)
	if text := s.log.String(); text != "" {
		t.Errorf("logged %q", text)
	}
	c = s.dial(t)
	c.send(t, "%s", get("/plain/panic"))
	c.wantEnd(t, 2*time.Minute)
	if text := s.log.String(); !strings.Contains(text, "on purpose") || !strings.Contains(text, "TestPanics") {
		t.Errorf("logged %q", text)
	}
	s.wantCounts(t, 2, 0)
}

// Shutdown waits for the requests in progress, and closes idle connections.
func TestShutdown(t *testing.T) {
	began, finish := make(chan struct{}, 2), make(chan struct{})
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/plain/idle" {
			began <- struct{}{}
			<-finish
		}
		echo(w, r)
	}, nil)
	unused, idling, busy, others := s.dial(t), s.dial(t), s.dial(t), s.dial(t)
	idling.send(t, "%s", get("/plain/idle"))
	idling.answer(t, "GET")
	busy.send(t, "%s", get("/plain/busy"))
	others.send(t, "%s", get("/others"))
	<-began
	<-began
	var group sync.WaitGroup
	down := make(chan struct{})
	group.Go(func() {
		shutDown(t, s)
		close(down)
	})
	unused.wantEnd(t, 2*time.Minute)
	idling.wantEnd(t, 2*time.Minute)
	select {
	case <-down:
		t.Error("Shutdown did not wait for the requests")
	default:
	}
	close(finish)
	for _, c := range []*testConn{busy, others} {
		if response, body := c.answer(t, "GET"); !strings.HasPrefix(body, "GET /") || !response.last {
			t.Errorf("%v, %q", response, body)
		}
		c.wantEnd(t, 2*time.Minute)
	}
	group.Wait()
}

// Shutdown returns when its context ends, and Close ends the requests that are left.
func TestShutdownGivesUp(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	s := startServer(t, func(_ http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		<-r.Context().Done()
		close(ended)
	}, nil)
	c := s.dial(t)
	c.send(t, "%s", get("/plain/"))
	<-began
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); err != context.DeadlineExceeded { //nolint:errorlint // it is returned unwrapped
		t.Errorf("%v", err)
	}
	_ = s.Close()
	c.wantEnd(t, 2*time.Minute)
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		t.Error("the handler is still running")
	}
}

// A request that arrives during a shutdown gets a whole answer or none.
func TestShutdownUnderLoad(t *testing.T) {
	s := startServer(t, echo, nil)
	var group sync.WaitGroup
	for i := range 8 {
		target := "/plain/"
		if i%4 == 0 {
			target = "/others"
		}
		c := s.dial(t)
		group.Go(func() {
			for {
				if _, err := io.WriteString(c, get(target)); err != nil {
					return
				}
				response, err := http.ReadResponse(c.reader, nil)
				if err != nil {
					return
				}
				body, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if err != nil || string(body) != fmt.Sprintf("GET %s \"\"", target) {
					t.Errorf("%q, %v", body, err)
					return
				}
			}
		})
	}
	eventually.Holds(t, "requests are served", func() bool { return s.lean.Load() > 100 && s.others.Load() > 20 })
	shutDown(t, s)
	group.Wait()
}
