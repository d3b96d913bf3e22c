package load

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

const answerText = "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 11\r\nDate: now\r\n\r\nhello world"

func TestResponses(t *testing.T) {
	t.Parallel()
	long := "HTTP/1.1 404 Not Found\r\nContent-Length: 200000\r\n\r\n" + strings.Repeat("x", 200_000)
	notModified := "HTTP/1.1 304 Not Modified\r\nEtag: x\r\n\r\n"
	all := answerText + long + notModified + answerText
	// One byte at a time, because answers never arrive together: the load generator waits for each before the next
	// request.
	r := NewResponses(iotest.OneByteReader(strings.NewReader(all)))
	for _, want := range [][2]int{{200, 11}, {404, 200_000}, {304, 0}, {200, 11}} {
		if status, length, err := r.Next(); err != nil || status != want[0] || length != want[1] {
			t.Errorf("got %d, %d, %v, want %v", status, length, err, want)
		}
	}
	if _, _, err := r.Next(); err != io.EOF { //nolint:errorlint // the reader returns exactly this error
		t.Errorf("at the end: %v", err)
	}
	if status, length, err := NewResponses(strings.NewReader(long)).Next(); err != nil || status != 404 || length != 200_000 {
		t.Errorf("in large pieces: %d, %d, %v", status, length, err)
	}
}

func TestInvalidResponses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		answerText[:len(answerText)-1]: "EOF",
		answerText + "x":               "longer than its Content-Length",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n":     "no valid Content-Length",
		"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n":                       "no valid Content-Length",
		"HTTP/1.1 200 OK\r\nContent-Length: 10000000000000000000000\r\n\r\n": "no valid Content-Length",
		"SSH-2.0-whatever it is called\r\n\r\n":                              "not an HTTP/1.1 answer",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 100_000) + "\r\n\r\n": "longer than 65536",
	} {
		if status, length, err := NewResponses(strings.NewReader(text)).Next(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got %d, %d, %v, want an error with %q", text, status, length, err, want)
		}
	}
}

func TestResponsesAllocateNothing(t *testing.T) {
	from := strings.NewReader(answerText)
	r := NewResponses(from)
	if n := testing.AllocsPerRun(100, func() {
		from.Reset(answerText)
		if _, _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("reading an answer allocates %v times", n)
	}
}

// FuzzResponses compares the result with net/http's, if both accept the answer.
func FuzzResponses(f *testing.F) {
	f.Add([]byte(answerText))
	f.Add([]byte("HTTP/1.1 304 Not Modified\r\nEtag: x\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"))
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		status, length, err := NewResponses(bytes.NewReader(text)).Next()
		if err != nil {
			return
		}
		response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), nil)
		if err != nil {
			return // net/http is stricter
		}
		defer func() { _ = response.Body.Close() }()
		if status != response.StatusCode {
			t.Errorf("got status %d, net/http %d", status, response.StatusCode)
		}
		if response.ContentLength >= 0 && response.ContentLength != int64(length) && response.Header.Get("Content-Length") != "" && status != 304 {
			t.Errorf("got %d bytes, net/http %d", length, response.ContentLength)
		}
	})
}
