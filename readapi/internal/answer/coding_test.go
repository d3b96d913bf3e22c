package answer_test

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/klauspost/compress/zstd"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi/internal/answer"
)

// noise is what nothing can be saved of.
func noise(n int) []byte {
	random, b := rand.New(rand.NewPCG(1, 2)), make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func TestCompressibleTypes(t *testing.T) {
	for contentType, want := range map[string]bool{
		"application/json":                 true,
		"application/json; charset=utf-8":  true,
		"Application/JSON ;charset=utf-8":  true,
		"application/problem+json":         true,
		"application/atom+xml":             true,
		"application/yaml":                 true,
		"application/vnd.oai.openapi+yaml": true,
		"image/svg+xml":                    true,
		"text/html; charset=utf-8":         true,
		"text/csv":                         true,
		"image/png":                        false,
		"image/webp":                       false,
		"video/mp4":                        false,
		"application/octet-stream":         false,
		"application/zip":                  false,
		"":                                 false,
		"context/x":                        false,
	} {
		a := answer.New(answer.Config{ContentType: contentType, Body: blocks(4096), Class: answer.Tip})
		w := get(a, http.Header{"Accept-Encoding": {"gzip"}})
		check.Equal(t, contentType, w.Header().Get("Content-Encoding") == "gzip", want)
	}
}

func TestFormsMustBeWorthIt(t *testing.T) {
	// Of noise nothing can be saved, of repetition nearly everything.
	mixed := func(random, repeated int) []byte {
		return append(noise(random), bytes.Repeat([]byte("x"), repeated)...)
	}
	for _, c := range []struct {
		name string
		body []byte
		want string
	}{
		{"a byte too short", bytes.Repeat([]byte("x"), 1023), ""},
		{"just long enough", bytes.Repeat([]byte("x"), 1024), "zstd"},
		{"a fifth shorter", mixed(3200, 800), "zstd"},
		{"a twentieth shorter", mixed(256<<10, 16<<10), ""},
		{"a fifth shorter, in several blocks", mixed(256<<10, 64<<10), "zstd"},
	} {
		w := get(answer.New(answer.Config{ContentType: "text/plain", Body: c.body, Class: answer.Tip}), http.Header{"Accept-Encoding": {"gzip, zstd"}})
		check.Equal(t, c.name, w.Header().Get("Content-Encoding"), c.want)
	}
}

// brotli takes long, so an answer that is not kept is never compressed with it.
func TestBrotliIsForAnswersThatAreKept(t *testing.T) {
	for _, c := range []struct {
		name string
		with func(*answer.Config)
		want string
	}{
		{"kept", func(*answer.Config) {}, "br"},
		{"an error that is kept", func(c *answer.Config) { c.Status = http.StatusNotFound }, "br"},
		{"nobody may store it", func(c *answer.Config) { c.Class = answer.NoStore }, "gzip"},
		{"a failure", func(c *answer.Config) { c.Status = http.StatusServiceUnavailable }, "gzip"},
		{"too long", func(c *answer.Config) { c.Body = blocks(answer.MaxBody + 1) }, "gzip"},
	} {
		w := get(jsonWith(c.with), http.Header{"Accept-Encoding": {"gzip, deflate, br"}})
		check.Equal(t, c.name, w.Header().Get("Content-Encoding"), c.want)
	}
}

// A strong entity tag promises the same bytes.
func TestFormsAreTheSameEachTime(t *testing.T) {
	for _, size := range []int{4096, answer.MaxBody + 1} {
		for _, encoding := range []string{"gzip", "zstd", "br"} {
			var first []byte
			for range 3 {
				a := jsonWith(func(c *answer.Config) { c.Body = blocks(size) })
				got := get(a, http.Header{"Accept-Encoding": {encoding}}).Body.Bytes()
				if first == nil {
					first = got
				}
				if !bytes.Equal(got, first) {
					t.Errorf("%s of %d bytes: two forms", encoding, size)
				}
			}
		}
	}
}

// Browsers give up on a frame whose window is above 8 MB (RFC 9659).
func TestZstdWindowIsOneThatBrowsersTake(t *testing.T) {
	a := answer.New(answer.Config{ContentType: "text/plain", Body: blocks(12 << 20), Class: answer.Tip})
	var frame zstd.Header
	must.Do(t, frame.Decode(get(a, http.Header{"Accept-Encoding": {"zstd"}}).Body.Bytes()))
	if frame.WindowSize == 0 || frame.WindowSize > 8<<20 {
		t.Errorf("got a window of %d bytes", frame.WindowSize)
	}
}
