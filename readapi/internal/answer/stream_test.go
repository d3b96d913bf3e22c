package answer_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"strata/readapi/internal/answer"
)

// streamed continues head with rest, and then fails with err.
func streamed(head []byte, rest string, err error) answer.Config {
	return answer.Config{
		ContentType: "text/plain", Class: answer.Immutable, Tag: tag, Body: head, Size: int64(len(head) + len(rest)),
		Rest: func(_ context.Context, w io.Writer) error {
			_, failed := io.WriteString(w, rest)
			return cmp.Or(err, failed)
		},
	}
}

func TestStreamIsSentAsItIs(t *testing.T) {
	rest := strings.Repeat("rest", 1024)
	a := answer.New(streamed([]byte("head"), rest, nil))
	w := get(a, http.Header{"Accept-Encoding": {"gzip, zstd"}})
	if w.Body.String() != "head"+rest {
		t.Errorf("got %d bytes", w.Body.Len())
	}
	wantField(t, w.Header(), "Content-Length", "4100")
	wantField(t, w.Header(), "Content-Encoding")
	wantField(t, w.Header(), "Vary")
	wantField(t, w.Header(), "ETag", `"`+tagHex+`"`)
	wantField(t, w.Header(), "Cache-Control", "public, max-age=31536000, immutable")
}

func TestStreamIsNotStartedWhenNobodyReadsIt(t *testing.T) {
	a := answer.New(streamed([]byte("head"), "rest", errors.New("must not run")))
	if w := get(a, http.Header{"If-None-Match": {tagHex}}); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
	w := serve(a, http.MethodHead, nil, answer.Moment{})
	if w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
	wantField(t, w.Header(), "Content-Length", "8")
}

func TestClientNoticesAStreamThatIsCutOff(t *testing.T) {
	short := streamed([]byte("head"), "res", nil)
	short.Size++
	for name, c := range map[string]answer.Config{"fails": streamed([]byte("head"), "rest", errors.New("no connection")), "ends early": short} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler(answer.New(c)))
			defer server.Close()
			response, err := server.Client().Get(server.URL)
			if err == nil {
				defer func() { _ = response.Body.Close() }()
				_, err = io.ReadAll(response.Body)
			}
			if err == nil {
				t.Error("the client took a part for the whole")
			}
		})
	}
}

// deadlines notes the write deadlines that it is given, and how much was written before each.
type deadlines struct {
	discard
	given   []time.Time
	written []int
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.given, d.written = append(d.given, at), append(d.written, d.bytes)
	return nil
}

func TestEachPieceOfAStreamHasItsOwnDeadline(t *testing.T) {
	c := streamed([]byte("head"), "", nil)
	c.Size = 10
	c.Rest = func(_ context.Context, w io.Writer) error {
		for _, piece := range []string{"one", "two"} {
			if _, err := io.WriteString(w, piece); err != nil {
				return err
			}
		}
		return nil
	}
	start, w := time.Now(), &deadlines{discard: discard{header: http.Header{}}}
	answer.New(c).Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), answer.Moment{})
	if len(w.written) != 3 || w.written[0] != 0 || w.written[1] != 4 || w.written[2] != 7 {
		t.Errorf("deadlines after %d bytes, want after 0, 4 and 7", w.written)
	}
	for _, at := range w.given {
		if at.Before(start.Add(time.Minute)) || at.After(time.Now().Add(time.Minute)) {
			t.Errorf("got %v", at)
		}
	}
}

// A client that has gone costs no more reading.
func TestStreamEndsWithItsClient(t *testing.T) {
	called := false
	c := streamed([]byte("head"), "", nil)
	c.Rest = func(context.Context, io.Writer) error { called = true; return nil }
	answer.New(c).Serve(&discard{header: http.Header{}, err: io.ErrClosedPipe}, httptest.NewRequest(http.MethodGet, "/", nil), answer.Moment{})
	if called {
		t.Error("the rest was read for a client that has gone")
	}
}
