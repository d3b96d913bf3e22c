package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"testing"
)

func parse(text string) (head, error) {
	return readHead(bufio.NewReaderSize(strings.NewReader(text), readBuffer), nil)
}

func TestReadHead(t *testing.T) {
	h, err := parse("HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: text/plain \r\nDATE: today\r\n" +
		"X-Odd: 1\r\nX-Named: 2\r\nConnection: x-named, keep-alive\r\nContent-Length: 5\r\n\r\nhello")
	if err != nil {
		t.Fatal(err)
	}
	want := []Field{{ContentType, "text/plain"}, {"X-Odd", "1"}}
	if h.status != 200 || h.length != 5 || h.chunked || !h.keep || len(h.fields) != 2 || h.fields[0] != want[0] || h.fields[1] != want[1] {
		t.Errorf("got %+v, want fields %v", h, want)
	}
}

func TestReadHeadFraming(t *testing.T) {
	tests := []struct {
		name, text    string
		length        int64
		chunked, keep bool
	}{
		{"no length", "HTTP/1.1 200 OK\r\n\r\n", -1, false, false},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n", -1, true, true},
		{"close", "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\n", 1, false, false},
		{"old", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", 1, false, false},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", 0, false, true},
		{"same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Length: 7\r\n\r\n", 7, false, true},
		{"without reason", "HTTP/1.1 200\nContent-Length: 0\n\n", 0, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := parse(tt.text)
			if err != nil || h.length != tt.length || h.chunked != tt.chunked || h.keep != tt.keep {
				t.Errorf("got %+v, %v; want length %d, chunked %v, keep %v", h, err, tt.length, tt.chunked, tt.keep)
			}
		})
	}
}

func TestReadHeadRefuses(t *testing.T) {
	tests := []struct{ name, text string }{
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"},
		{"length and coding", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"},
		{"coding in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"two codings", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"},
		{"signed length", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n"},
		{"empty length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n"},
		{"huge length", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"},
		{"folded line", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n"},
		{"space before colon", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n"},
		{"control character", "HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n"},
		{"upgrade", "HTTP/1.1 101 Switching Protocols\r\n\r\n"},
		{"other protocol", "HTTP/2 200\r\n\r\n"},
		{"short status", "HTTP/1.1 20 OK\r\n\r\n"},
		{"odd status", "HTTP/1.1 999 What\r\n\r\n"},
		{"not HTTP", "SSH-2.0-OpenSSH_9.6\r\n"},
		{"endless", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", readBuffer) + "\r\n\r\n"},
		{"many fields", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: a\r\n", fieldsMax+1) + "\r\n"},
		{"interim for ever", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", interimMax+1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if h, err := parse(tt.text); !errors.Is(err, ErrMalformed) {
				t.Errorf("got %+v, %v; want %v", h, err, ErrMalformed)
			}
		})
	}
	if _, err := parse("HTTP/1.1 200 OK\r\nX: a\r\n"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a head that ends early: %v", err)
	}
}

// An answer that reuses the memory of the previous answer's fields must not show any of them.
func TestReuseOfFields(t *testing.T) {
	const first, second = "HTTP/1.1 200 OK\r\nX-Canonical-Stacks-Tip-Height: 123\r\nX-A: 1\r\nX-B: 2\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX-Canonical-Stacks-Tip-Height: 123\r\nX-B: 1\r\n\r\n"
	var memory []Field
	for i, tt := range []struct {
		text string
		want []Field
	}{
		{first, []Field{{TipHeight, "123"}, {"X-A", "1"}, {"X-B", "2"}}},
		{second, []Field{{TipHeight, "123"}, {"X-B", "1"}}},
		{strings.Replace(second, "123", "124", 1), []Field{{TipHeight, "124"}, {"X-B", "1"}}},
		{first, []Field{{TipHeight, "123"}, {"X-A", "1"}, {"X-B", "2"}}},
	} {
		h, err := readHead(bufio.NewReaderSize(strings.NewReader(tt.text), readBuffer), memory)
		if err != nil || !slices.Equal(h.fields, tt.want) {
			t.Errorf("answer %d: got %v, %v; want %v", i, h.fields, err, tt.want)
		}
		memory = h.fields
	}
}

// FuzzReadHead checks that net/http reads every accepted answer alike, with the same status and the same end.
func FuzzReadHead(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nConnection: close, x-a\r\nX-A: 1\r\n\r\nrest"))
	f.Add([]byte("HTTP/1.0 204 No Content\r\n\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := bufio.NewReaderSize(bytes.NewReader(text), readBuffer)
		h, err := readOneHead(r, nil)
		if err != nil || h.status < 200 {
			return
		}
		for _, field := range h.fields {
			if strings.ContainsAny(field.Value, "\r\n\x00") || !validName([]byte(field.Name)) {
				t.Fatalf("field %q", field)
			}
		}
		theirs, err := http.ReadResponse(bufio.NewReaderSize(bytes.NewReader(text), readBuffer), nil)
		if err != nil {
			// net/http is stricter about fields that don't decide where the body ends.
			return
		}
		defer func() { _ = theirs.Body.Close() }()
		if theirs.StatusCode != h.status {
			t.Fatalf("status %d, net/http says %d", h.status, theirs.StatusCode)
		}
		want, wantErr := io.ReadAll(theirs.Body)
		var body io.Reader = r
		switch {
		case h.chunked:
			body = httputil.NewChunkedReader(r)
		case h.length >= 0:
			body = io.LimitReader(r, h.length)
		}
		got, _ := io.ReadAll(body)
		if wantErr == nil && !bytes.Equal(got, want) {
			t.Fatalf("body %q, net/http reads %q", got, want)
		}
	})
}
