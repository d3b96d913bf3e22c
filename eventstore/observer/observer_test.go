package observer_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/eventstore"
	"strata/eventstore/observer"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/metric"
)

func TestNodeDelivery(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 3, 13, 15, 34, 10, 446375000, time.UTC)
	h := start(t, observer.Config{Clock: func() time.Time { return at }})
	body := []byte(`{"vm_error":"a\u0000b","block_height":184467440737095516150}`)
	got := h.send(nodeRequest("/new_block", body))
	h.wantStored(got)
	for name, want := range map[string]string{
		"content-type":   "application/json",
		"content-length": "15",
		"connection":     "close",
	} {
		if got.headers[name] != want {
			t.Errorf("%s: got %q, want %q", name, got.headers[name], want)
		}
	}
	events := h.events()
	if len(events) != 1 {
		t.Fatalf("got %d events, want 1", len(events))
	}
	e := events[0]
	if e.Path != "/new_block" || e.Source != "observer:127.0.0.1" || e.ContentType != "application/json" || !e.ReceivedAt.Equal(at) || !bytes.Equal(e.Body, body) {
		t.Errorf("got %+v", e)
	}
}

func TestStoredAsReceived(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{Spool: eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Threshold: 1000})})
	tests := []struct{ name, target, path, contentType, body string }{
		{"trailing slash", "/new_block/", "/new_block/", "application/json", "{}"},
		{"unknown path", "/never/heard/of", "/never/heard/of", "text/plain; charset=x", "{}"},
		{"not JSON", "/new_block", "/new_block", "application/json", "<html>\x00\xff\xfe"},
		{"empty body", "/new_block", "/new_block", "application/json", ""},
		{"no content type", "/new_block", "/new_block", "", "{}"},
		{"content type not UTF-8", "/x", "/x", "a/\ufffd", "{}"},
		{"escaped NUL and invalid UTF-8", "/a%00b%ff", "/a%00b%ff", "", "{}"},
		{"bare bytes beyond ASCII", "/é\xff", "/%C3%A9%FF", "", "{}"},
		{"dots and double slashes", "//a/../b", "//a/../b", "", "{}"},
		{"query", "/new_block?a=b", "/new_block", "", "{}"},
		{"absolute", "http://node/new_block", "/new_block", "", "{}"},
		{"absolute without path", "http://node", "/", "", "{}"},
		{"asterisk", "*", "/*", "", "{}"},
		{"status path", "/status", "/status", "", "{}"},
		{"ordinals", "/payload", "/payload", "application/json", "{}"},
		{"through a file", "/new_block", "/new_block", "application/json", strings.Repeat("spooled", 1000)},
	}
	for _, tt := range tests {
		contentType := "Content-Type: " + strings.ReplaceAll(tt.contentType, "\ufffd", "\xff") + "\r\n"
		if tt.contentType == "" {
			contentType = ""
		}
		request := replaceHeader(nodeRequest(tt.target, []byte(tt.body)), "Content-Type: application/json\r\n", contentType)
		if got := h.send(request); got.status != 200 {
			t.Fatalf("%s: got %d %s", tt.name, got.status, got.body)
		}
	}
	events := h.events()
	if len(events) != len(tests) {
		t.Fatalf("got %d events, want %d", len(events), len(tests))
	}
	for i, tt := range tests {
		e := events[i]
		if e.Path != tt.path || e.ContentType != tt.contentType || string(e.Body) != tt.body || e.Size != int64(len(tt.body)) {
			t.Errorf("%s: got %s, %q, %d bytes %.60q", tt.name, e.Path, e.ContentType, e.Size, e.Body)
		}
	}
}

func TestTransferForms(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{})

	t.Run("chunked", func(t *testing.T) {
		request := replaceHeader(nodeRequest("/chunked", nil), "Content-Length: 0", "Transfer-Encoding: chunked")
		h.wantStored(h.send(append(request, "5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n"...)))
	})
	t.Run("neither length nor chunks", func(t *testing.T) {
		h.wantStored(h.send(replaceHeader(nodeRequest("/nothing", nil), "Content-Length: 0\r\n", "")))
	})
	t.Run("expect continue", func(t *testing.T) {
		request := replaceHeader(nodeRequest("/expect", []byte(`{"b":2}`)), "connection: close", "Expect: 100-continue\r\nconnection: close")
		conn := h.dial()
		head := len(request) - len(`{"b":2}`)
		if _, err := conn.Write(request[:head]); err != nil {
			t.Fatal(err)
		}
		interim := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
		if _, err := conn.Read(interim); err != nil || string(interim) != "HTTP/1.1 100 Continue\r\n\r\n" {
			t.Fatalf("got %q, %v", interim, err)
		}
		if _, err := conn.Write(request[head:]); err != nil {
			t.Fatal(err)
		}
		h.wantStored(h.answer(conn))
	})
	t.Run("HTTP/1.0", func(t *testing.T) {
		h.wantStored(h.send([]byte("POST /old HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}")))
	})
	t.Run("kept alive", func(t *testing.T) {
		conn := h.dial()
		request := replaceHeader(nodeRequest("/again", []byte("{}")), "connection: close\r\n", "")
		for range 3 {
			if _, err := conn.Write(request); err != nil {
				t.Fatal(err)
			}
			h.wantStored(h.answer(conn))
		}
	})
	want := []struct{ path, body string }{
		{"/chunked", `{"a":1}`}, {"/nothing", ""}, {"/expect", `{"b":2}`}, {"/old", "{}"}, {"/again", "{}"}, {"/again", "{}"}, {"/again", "{}"},
	}
	events := h.events()
	if len(events) != len(want) {
		t.Fatalf("got %d events, want %d", len(events), len(want))
	}
	for i, w := range want {
		if events[i].Path != w.path || string(events[i].Body) != w.body {
			t.Errorf("event %d: got %s %q, want %s %q", i+1, events[i].Path, events[i].Body, w.path, w.body)
		}
	}
}

func TestOtherMethods(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{})
	h.wantStored(h.send(nodeRequest("/new_block", []byte("{}"))))
	for _, tt := range []struct {
		method, path, allow, body string
		status                    int
	}{
		{"GET", "/", "", `{"status":"ready","events":1}`, 200},
		{"GET", "/status", "", `{"status":"ready","events":1}`, 200},
		{"HEAD", "/", "", "", 200},
		{"GET", "/new_block", "POST", "", 405},
		{"PUT", "/new_block", "POST", "", 405},
		{"OPTIONS", "/x", "POST", "", 405},
		{"DELETE", "/status", "GET, HEAD, POST", "", 405},
	} {
		request := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: x\r\nconnection: close\r\n\r\n", tt.method, tt.path)
		if tt.method == "HEAD" {
			response, err := http.Head("http://" + h.address + tt.path)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != 200 || response.ContentLength != int64(len(`{"status":"ready","events":1}`)) {
				t.Errorf("HEAD: got %d, length %d", response.StatusCode, response.ContentLength)
			}
			continue
		}
		got := h.send(request)
		if got.status != tt.status || got.headers["allow"] != tt.allow || tt.body != "" && string(got.body) != tt.body {
			t.Errorf("%s %s: got %d, Allow %q, %s", tt.method, tt.path, got.status, got.headers["allow"], got.body)
		}
	}
	h.wantSize(1)
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{Spool: eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Threshold: 10, Limit: 100})})
	h.wantStored(h.send(nodeRequest("/x", bytes.Repeat([]byte("x"), 100))))

	conn := h.dial()
	if _, err := conn.Write(replaceHeader(nodeRequest("/x", nil), "Content-Length: 0", "Content-Length: 101")); err != nil {
		t.Fatal(err)
	}
	if got := h.answer(conn); got.status != 413 || got.headers["connection"] != "close" {
		t.Errorf("announced: got %d %v", got.status, got.headers)
	}
	request := replaceHeader(nodeRequest("/x", nil), "Content-Length: 0", "Transfer-Encoding: chunked")
	request = append(request, "65\r\n"+strings.Repeat("x", 101)+"\r\n0\r\n\r\n"...)
	if got := h.send(request); got.status != 413 {
		t.Errorf("chunked: got %d", got.status)
	}
	h.wantSize(1)
}

func TestSenderThatStops(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	h := start(t, observer.Config{Registry: registry, StallTimeout: 300 * time.Millisecond,
		Spool: eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Threshold: 1000, Memory: 2000})})
	for _, size := range []int{1000, 5000} { // in memory, and through a file
		request := nodeRequest("/x", bytes.Repeat([]byte("x"), size))

		conn := h.dial()
		if _, err := conn.Write(request[:len(request)-1]); err != nil {
			t.Fatal(err)
		}
		if got := h.answer(conn); got.status != 408 {
			t.Errorf("%d bytes, stalled: got %d, want 408", size, got.status)
		}
		half := h.dial()
		if _, err := half.Write(request[:len(request)-1]); err != nil {
			t.Fatal(err)
		}
		if err := half.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if got := h.answer(half); got.status != 400 {
			t.Errorf("%d bytes, ended: got %d, want 400", size, got.status)
		}
		for range 5 {
			gone := h.dial()
			if _, err := gone.Write(request[:len(request)-1]); err != nil {
				t.Fatal(err)
			}
			_ = gone.Close()
		}
	}
	eventually.Holds(t, "all bodies given up", func() bool {
		n, err := testutil.GatherAndCount(registry, "strata_observer_requests_total")
		if err != nil {
			t.Fatal(err)
		}
		return n > 0 && gauge(t, registry, "strata_observer_bodies_in_flight") == 0
	})
	h.wantSize(0)
	for range 3 { // the memory they held is there again
		h.wantStored(h.send(nodeRequest("/x", bytes.Repeat([]byte("y"), 1000))))
	}
}

func TestOrdhookToken(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{OrdhookToken: "s3cret"})
	stored := int64(0)
	for _, tt := range []struct {
		path, authorization string
		status              int
	}{
		{"/payload", "", 403},
		{"/payload", "Bearer wrong", 403},
		{"/payload", "Basic s3cret", 403},
		{"/payload", "s3cret", 403},
		{"/payload/", "", 403},
		{"//payload", "", 403},
		{"/%70ayload", "", 403},
		{"/ordhook/payload", "", 403},
		{"/payload", "Bearer s3cret", 200},
		{"/ordhook/payload", "bearer s3cret", 200},
		{"/new_block", "", 200},
		{"/payload/more", "", 200},
	} {
		request := nodeRequest(tt.path, []byte("{}"))
		if tt.authorization != "" {
			request = replaceHeader(request, "connection: close", "Authorization: "+tt.authorization+"\r\nconnection: close")
		}
		got := h.send(request)
		if got.status != tt.status {
			t.Errorf("%s %q: got %d, want %d", tt.path, tt.authorization, got.status, tt.status)
		}
		if tt.status == 200 {
			stored++
		}
	}
	h.wantSize(stored)

	// Refused before the body is asked for.
	conn := h.dial()
	request := replaceHeader(nodeRequest("/payload", nil), "Content-Length: 0", "Expect: 100-continue\r\nContent-Length: 1000000")
	if _, err := conn.Write(request); err != nil {
		t.Fatal(err)
	}
	if got := h.answer(conn); got.status != 403 {
		t.Errorf("got %d, want 403 without 100", got.status)
	}
}

func TestOriginalTimestamp(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		trust  bool
		header string
		want   time.Time
	}{
		{true, "1710344050446", time.Date(2024, 3, 13, 15, 34, 10, 446000000, time.UTC)},
		{true, "2024-03-13T16:34:10.446375+01:00", time.Date(2024, 3, 13, 15, 34, 10, 446375000, time.UTC)},
		{true, "yesterday", now},
		{true, "9223372036854775807", now},
		{true, "", now},
		{false, "1710344050446", now},
	} {
		t.Run(tt.header, func(t *testing.T) {
			t.Parallel()
			h := start(t, observer.Config{TrustTimestamps: tt.trust, Clock: func() time.Time { return now }})
			h.wantStored(h.send(replaceHeader(nodeRequest("/x", []byte("{}")), "connection: close", "X-Original-Timestamp: "+tt.header+"\r\nconnection: close")))
			if got := h.events()[0].ReceivedAt; !got.Equal(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	h := start(t, observer.Config{Registry: registry, Spool: eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Threshold: 10})})
	for i := range 20 {
		h.wantStored(h.send(nodeRequest(fmt.Sprintf("/unknown/%d", i), []byte("{}"))))
	}
	h.wantStored(h.send(nodeRequest("/new_block", []byte("{}"))))
	h.wantStored(h.send(nodeRequest("/new_block/", bytes.Repeat([]byte("x"), 11))))
	h.send([]byte("GET /new_block HTTP/1.1\r\nHost: x\r\n\r\n"))
	eventually.Holds(t, "bodies in flight", func() bool { return gauge(t, registry, "strata_observer_bodies_in_flight") == 0 })
	const want = `
# HELP strata_observer_bytes_total Bytes of the bodies of stored events, by path.
# TYPE strata_observer_bytes_total counter
strata_observer_bytes_total{path="/new_block"} 13
strata_observer_bytes_total{path="other"} 40
# HELP strata_observer_events_total Events stored, by path.
# TYPE strata_observer_events_total counter
strata_observer_events_total{path="/new_block"} 2
strata_observer_events_total{path="other"} 20
# HELP strata_observer_requests_total Requests answered, by path and HTTP status.
# TYPE strata_observer_requests_total counter
strata_observer_requests_total{path="/new_block",status="200"} 2
strata_observer_requests_total{path="/new_block",status="405"} 1
strata_observer_requests_total{path="other",status="200"} 20
# HELP strata_observer_spooled_bytes_total Bytes of bodies spooled to a file because they are too large for memory or of unknown length.
# TYPE strata_observer_spooled_bytes_total counter
strata_observer_spooled_bytes_total 11
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "strata_observer_bytes_total", "strata_observer_events_total",
		"strata_observer_requests_total", "strata_observer_spooled_bytes_total"); err != nil {
		t.Error(err)
	}
	observer.New(observer.Config{Log: h.log, Registry: registry}) // a second one shares them
}

// gauge returns the value of a metric; NaN while there is none.
func gauge(t testing.TB, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	value, ok := metric.Sum(t, registry, name)
	if !ok {
		return math.NaN()
	}
	return value
}

// The largest head that the observer accepts fits the log, even if all of it is stored and must be escaped. A larger head
// is refused, and nothing is stored.
func TestLargeHead(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{})
	for _, tt := range []struct{ name, path, contentType string }{
		{"a path", "/" + strings.Repeat("p", 16<<10), "application/json"},
		{"a path that is escaped", "/" + strings.Repeat("\"", 20_000), "application/json"},
		{"a content type", "/x", strings.Repeat("c", 20_000)},
		{"a content type that is not UTF-8", "/x", strings.Repeat("c\xff", 10_000)},
		{"both", "/" + strings.Repeat("\"", 10_000), strings.Repeat("c\xff", 5_000)},
	} {
		request := func(path, contentType string) []byte {
			return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: 2\r\nconnection: close\r\n\r\n{}", path, contentType)
		}
		before := len(h.events())
		h.wantStored(h.send(request(tt.path, tt.contentType)))
		events := h.events()
		e := events[len(events)-1]
		if len(events) != before+1 || e.ContentType != strings.ToValidUTF8(tt.contentType, "\ufffd") || e.Path != strings.ReplaceAll(tt.path, "\"", "%22") {
			t.Errorf("%s: it was not stored as it came: got a path of %d bytes, a content type of %d", tt.name, len(e.Path), len(e.ContentType))
		}
		conn := h.dial()
		_, _ = conn.Write(request(tt.path+strings.Repeat("p", 5_000), tt.contentType+strings.Repeat("c", 5_000))) // it may be refused before its end
		answer := make([]byte, len("HTTP/1.1 431"))
		if _, err := io.ReadFull(conn, answer); err == nil && string(answer) != "HTTP/1.1 431" {
			t.Errorf("%s: a longer one is answered %q", tt.name, answer)
		}
		h.wantSize(int64(before + 1))
	}

	// Behind another server, whose heads may be larger.
	request := httptest.NewRequest(http.MethodPost, "/"+strings.Repeat("p", 70_000), strings.NewReader("{}"))
	recorder := httptest.NewRecorder()
	observer.New(observer.Config{Log: h.log}).ServeHTTP(recorder, request)
	if recorder.Code != http.StatusRequestHeaderFieldsTooLarge || !strings.Contains(recorder.Body.String(), "too long to be stored") {
		t.Errorf("got %d %s", recorder.Code, recorder.Body)
	}
	h.wantSize(5)
}
