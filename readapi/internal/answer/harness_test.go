package answer_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"strata/internal/testkit/must"
	"strata/readapi/internal/answer"
)

var (
	tag      = answer.Tag{0xab, 0xcd, 15: 0x01}
	tagHex   = hex.EncodeToString(tag[:])
	position = []string{"log=4711; height=1350"}
)

// blocks is JSON as the API makes it, of at least size bytes.
func blocks(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"results":[`)
	for height := 0; b.Len() < size; height++ {
		fmt.Fprintf(&b, `{"height":%d,"hash":"0x%064x","canonical":true},`, height, height*height*7919)
	}
	b.WriteString(`{}]}`)
	return []byte(b.String())
}

// jsonConfig is an ordinary answer with a body long enough to be compressed.
func jsonConfig() answer.Config {
	return answer.Config{
		ContentType: "application/json; charset=utf-8", Body: blocks(4096), Class: answer.Tip, Tag: tag,
		Fields: []answer.Field{
			{Name: "strata-source", Values: []string{"17,4711"}},
			{Name: "Content-Language", Values: []string{"en"}},
			{Name: "X-Content-Type-Options", Values: []string{"nosniff"}},
		},
	}
}

// jsonWith is jsonConfig with a change.
func jsonWith(change func(*answer.Config)) *answer.Answer {
	c := jsonConfig()
	change(&c)
	return answer.New(c)
}

// serve gives what a client that asks with the header gets.
func serve(a *answer.Answer, method string, header http.Header, now answer.Moment) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	if status := a.Serve(w, &http.Request{Method: method, Header: header}, now); status != w.Code {
		panic(fmt.Sprintf("the client got %d, the caller was told %d", w.Code, status))
	}
	return w
}

// get is serve for most tests.
func get(a *answer.Answer, header http.Header) *httptest.ResponseRecorder {
	return serve(a, http.MethodGet, header, answer.Moment{Position: position})
}

func wantField(t *testing.T, header http.Header, name string, want ...string) {
	t.Helper()
	if got := header.Values(name); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%s: got %q, want %q", name, got, want)
	}
}

// decoded is a body without its content coding.
func decoded(t *testing.T, encoding string, body io.Reader) string {
	t.Helper()
	switch encoding {
	case "gzip":
		r := must.Get(gzip.NewReader(body))(t)
		body = r
	case "br":
		text := must.Get(io.ReadAll(brotli.NewReader(body)))(t)
		return string(text)
	case "zstd":
		r := must.Get(zstd.NewReader(body))(t)
		defer r.Close()
		body = r
	case "":
	default:
		t.Fatalf("unknown content coding %q", encoding)
	}
	b := must.Get(io.ReadAll(body))(t)
	return string(b)
}
