package lean

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// compareWithNetHTTP lets both servers answer with the same handler, and compares the answers.
func compareWithNetHTTP(t *testing.T, handler http.HandlerFunc) {
	t.Helper()
	s := startServer(t, handler, nil)
	for _, method := range []string{"GET", "HEAD", "POST"} {
		var seen [2]string
		for i, name := range []string{"/plain/", "/others/"} {
			c := s.dial(t)
			c.send(t, "%s %s HTTP/1.1\r\nHost: here\r\n\r\n", method, name)
			seen[i] = c.describeAnswer(method)
			if !strings.Contains(seen[i], "Connection") && !strings.Contains(seen[i], "EOF") {
				c.send(t, "GET %s?again HTTP/1.1\r\nHost: here\r\n\r\n", name)
				seen[i] += "\n" + c.describeAnswer("GET")
			}
		}
		if seen[0] != seen[1] {
			t.Errorf("%s:\n%s\nnet/http:\n%s", method, seen[0], seen[1])
		}
	}
}

// describeAnswer reads an answer and describes it as a client sees it.
func (c *testConn) describeAnswer(method string) string {
	response, err := http.ReadResponse(c.reader, &http.Request{Method: method})
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if date := response.Header.Get("Date"); date != "" && date != "never" {
		at, err := http.ParseTime(date)
		if err != nil || time.Since(at) > time.Minute || time.Since(at) < -time.Minute {
			return "date " + date
		}
		response.Header.Set("Date", "now")
	}
	text := fmt.Sprintf("%s %v length %d, coding %v, close %v\n%d bytes %x, %v", response.Status, response.Header, response.ContentLength,
		response.TransferEncoding, response.Close, len(body), body[:min(len(body), 64)], err)
	if response.Close {
		rest, _ := io.ReadAll(c.reader)
		text += fmt.Sprintf(", Connection ends, %d bytes later", len(rest))
	}
	return text
}

func TestAnswersAsNetHTTP(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 40<<10)
	for name, handler := range map[string]http.HandlerFunc{
		"nothing":  func(http.ResponseWriter, *http.Request) {},
		"a text":   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "text") },
		"an image": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "\x89PNG\r\n\x1a\n") },
		"no type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "text")
		},
		"coded": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "text")
		},
		"long": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, long) },
		"long with a length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(long)))
			_, _ = io.WriteString(w, long[:5])
			_, _ = io.WriteString(w, long[5:])
		},
		"many pieces": func(w http.ResponseWriter, _ *http.Request) {
			for i := range 300 {
				_, _ = io.WriteString(w, long[:i*7%256])
			}
		},
		"in time": func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				_, _ = io.WriteString(w, "piece")
				_ = http.NewResponseController(w).Flush()
			}
		},
		"flushed at once": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "4")
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "text")
		},
		"status only":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) },
		"a strange code":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(299) },
		"no content":      status(http.StatusNoContent, "4"),
		"not modified":    status(http.StatusNotModified, "4"),
		"no content, raw": status(http.StatusNoContent, ""),
		"two fields": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Add("X", "a")
			w.Header().Add("X", "b\r\nY: c")
			w.Header()["not a name"] = []string{"d"}
			w.WriteHeader(http.StatusNotFound)
			w.Header().Set("Late", "e")
			w.WriteHeader(http.StatusOK)
		},
		"its own date": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Date", "never") },
		"the end": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			_, _ = io.WriteString(w, "text")
		},
		"too little": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10")
			if r.Method != http.MethodHead {
				_, _ = io.WriteString(w, "text")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compareWithNetHTTP(t, handler)
		})
	}
}

// Whatever Content-Length a handler sets, the client can tell where the answer ends.
func TestLengthsThatAreWrong(t *testing.T) {
	var length string
	s := startServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", length)
		_, _ = io.WriteString(w, "text")
		if _, err := io.WriteString(w, "more"); length == "4" && err != http.ErrContentLength { //nolint:errorlint // as net/http returns it
			t.Error(err)
		}
	}, nil)
	c := s.dial(t)
	for _, tt := range []struct{ length, want string }{{"4", "text"}, {"four", "textmore"}, {"-1", "textmore"}, {"8", "textmore"}} {
		length = tt.length
		c.send(t, "%s", get("/plain/"))
		if response, body := c.answer(t, "GET"); body != tt.want || response.length != int64(len(body)) {
			t.Errorf("length %q: %v, %q", length, response, body)
		}
	}
	s.wantCounts(t, 4, 0)
}

// status returns a handler that answers with a status that allows no body, and sets header fields as if there were one.
func status(code int, length string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if length != "" {
			w.Header().Set("Content-Length", length)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Etag", `"x"`)
		w.WriteHeader(code)
		if _, err := io.WriteString(w, "text"); err != http.ErrBodyNotAllowed { //nolint:errorlint // as net/http returns it
			panic(err)
		}
	}
}

func TestInterimAnswers(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style>")
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.WriteString(w, "text")
	}, nil)
	c := s.dial(t)
	c.send(t, "%s", get("/plain/"))
	if early, _ := c.answer(t, "GET"); early.status != http.StatusEarlyHints || early.header.Get("Link") == "" {
		t.Errorf("%v", early)
	}
	if response, body := c.answer(t, "GET"); response.status != http.StatusOK || body != "text" {
		t.Errorf("%v, %q", response, body)
	}
	s.wantCounts(t, 1, 0)
}

// A flushed piece arrives before the handler returns. When a write fails because the client has left, the request's
// context ends.
func TestStreaming(t *testing.T) {
	next, ended := make(chan struct{}), make(chan error, 1)
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		for range 2 {
			_, _ = io.WriteString(w, "piece")
			if err := control.Flush(); err != nil {
				t.Error(err)
			}
			<-next
		}
		piece := make([]byte, 64<<10)
		for {
			if _, err := w.Write(piece); err != nil {
				<-r.Context().Done()
				ended <- err
				return
			}
		}
	}, nil)
	c := s.dial(t)
	c.send(t, "%s", get("/plain/"))
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	piece := make([]byte, 5)
	for range 2 {
		if _, err := io.ReadFull(response.Body, piece); err != nil || string(piece) != "piece" {
			t.Fatalf("%q, %v", piece, err)
		}
		next <- struct{}{}
	}
	_ = c.Close()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
}

func TestResponseController(t *testing.T) {
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if _, _, err := control.Hijack(); err == nil {
			t.Error("Hijack succeeded")
		}
		if err := control.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		body := http.MaxBytesReader(w, r.Body, 3)
		if _, err := io.ReadAll(body); err == nil {
			t.Error("a body of 4 bytes was read up to 3 without an error")
		}
		if err := control.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
			t.Error(err)
		}
		if err := control.SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Error(err)
		}
	}, nil)
	c := s.dial(t)
	for range 2 { // the deadlines must not outlive the request
		c.send(t, "POST /plain/ HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\ntext")
		if response, _ := c.answer(t, "POST"); response.status != http.StatusOK {
			t.Error(response.status)
		}
	}
	s.wantCounts(t, 2, 0)
}

// A small answer is one write.
func TestOneWrite(t *testing.T) {
	ours, theirs := net.Pipe()
	s := &Server{HTTP: &http.Server{Handler: http.HandlerFunc(echo)}, Serves: func(string) bool { return true }, started: time.Now(), conns: map[*conn]struct{}{}}
	s.setClock(s.started)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		newConn(s, theirs).serveRequests()
	}()
	for range 3 {
		if _, err := io.WriteString(ours, get("/plain/")); err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 4096)
		n, err := ours.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(buffer[:n])), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || string(body) != `GET /plain/ ""` {
			t.Errorf("the first write had %q, %v", buffer[:n], err)
		}
	}
	_ = ours.Close()
	<-ended
}

// No header field of a request or its answer shows up in the next.
func TestReuseLeavesNothing(t *testing.T) {
	var want http.Header
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if !reflect.DeepEqual(r.Header, want) {
			t.Errorf("header %v, want %v", r.Header, want)
		}
		if len(w.Header()) > 0 {
			t.Errorf("the answer begins with %v", w.Header())
		}
		w.Header()[fmt.Sprintf("X-%d", rand.IntN(100))] = []string{"1"}
		r.Header["Mine"] = []string{"2"}
		r.Header["X"] = append(r.Header["X"], "3")
	}, nil)
	c := s.dial(t)
	for i := range 50 {
		want = http.Header{}
		request := "GET /plain/ HTTP/1.1\r\nHost: here\r\n"
		for j := range i * 7 % 11 {
			name := []string{"X", "Accept", "Cookie", "X-Long-Name"}[(i+j)%4]
			value := fmt.Sprint(i, j)
			request += fmt.Sprintf("%s: %s\r\n", name, value)
			want[name] = append(want[name], value)
		}
		c.send(t, "%s\r\n", request)
		c.answer(t, "GET")
	}
	s.wantCounts(t, 50, 0)
}
