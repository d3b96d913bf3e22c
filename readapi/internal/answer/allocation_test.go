package answer_test

import (
	"net/http"
	"testing"

	"strata/internal/testkit/must"
	"strata/readapi/internal/answer"
)

// discard is a ResponseWriter that costs nothing.
type discard struct {
	header http.Header
	status int
	bytes  int
	err    error
}

func (d *discard) Header() http.Header    { return d.header }
func (d *discard) WriteHeader(status int) { d.status = status }
func (d *discard) Write(b []byte) (int, error) {
	d.bytes += len(b)
	return len(b), d.err
}

func TestServeAllocatesNothing(t *testing.T) {
	full := len(jsonConfig().Body)
	for _, c := range []struct {
		name    string
		request http.Header
		status  int
		bytes   func(int) bool
	}{
		{"plain", http.Header{}, 200, func(n int) bool { return n == full }},
		{"not modified", http.Header{"If-None-Match": {`"other", W/"` + tagHex + `-gzip"`}, "Accept-Encoding": {"gzip"}}, 304, func(n int) bool { return n == 0 }},
		{"zstd", http.Header{"Accept-Encoding": {"gzip, deflate, br, zstd"}}, 200, func(n int) bool { return n > 0 && n < full }},
		{"zstd, asked for in an unusual way", http.Header{"Accept-Encoding": {"br;q=1, gzip; q=0.8", "ZSTD;q=0.9, *;q=0.1"}}, 200, func(n int) bool { return n > 0 && n < full }},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := must.Get(answer.Parse(answer.New(jsonConfig()).AppendBinary(nil)))(t)
			for _, a := range []*answer.Answer{answer.New(jsonConfig()), stored} {
				w, r, now := &discard{header: make(http.Header, 32)}, &http.Request{Method: http.MethodGet, Header: c.request}, answer.Moment{Position: position}
				allocations := testing.AllocsPerRun(100, func() {
					clear(w.header)
					w.bytes = 0
					a.Serve(w, r, now)
				})
				if allocations != 0 {
					t.Errorf("%v allocations", allocations)
				}
				if w.status != c.status || !c.bytes(w.bytes) {
					t.Errorf("got %d with %d bytes", w.status, w.bytes)
				}
			}
		})
	}
}

// What making an answer costs, and how much of that is for a tag of its body.
func BenchmarkNew(b *testing.B) {
	for name, size := range map[string]int{"4 KiB": 4 << 10, "1 MiB": 1 << 20} {
		body := blocks(size)
		for which, given := range map[string]answer.Tag{"tag of the body": {}, "tag given": tag} {
			b.Run(name+", "+which, func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					answer.New(answer.Config{ContentType: "application/json", Body: body, Class: answer.Tip, Tag: given})
				}
			})
		}
	}
}

func BenchmarkServe(b *testing.B) {
	a := answer.New(jsonConfig())
	for name, header := range map[string]http.Header{
		"plain":        {},
		"zstd":         {"Accept-Encoding": {"gzip, deflate, br, zstd"}},
		"not modified": {"If-None-Match": {`"` + tagHex + `"`}},
	} {
		b.Run(name, func(b *testing.B) {
			w, r := &discard{header: make(http.Header, 32)}, &http.Request{Method: http.MethodGet, Header: header}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				a.Serve(w, r, answer.Moment{Position: position})
			}
		})
	}
}
