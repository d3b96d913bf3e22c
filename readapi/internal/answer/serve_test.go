package answer_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"strata/internal/testkit/check"
	"strata/readapi/internal/answer"
)

func TestAnswerHasItsHeader(t *testing.T) {
	c := jsonConfig()
	w := get(answer.New(c), nil)
	if w.Code != http.StatusOK || w.Body.String() != string(c.Body) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	wantField(t, w.Header(), "Content-Type", "application/json; charset=utf-8")
	wantField(t, w.Header(), "Content-Length", strconv.Itoa(len(c.Body)))
	wantField(t, w.Header(), "Content-Encoding")
	wantField(t, w.Header(), "Cache-Control", "public, no-cache, must-revalidate")
	wantField(t, w.Header(), "ETag", `"`+tagHex+`"`)
	wantField(t, w.Header(), "Vary", "Accept-Encoding")
	wantField(t, w.Header(), "Strata-Position", position...)
	wantField(t, w.Header(), "Strata-Source", "17,4711")
	wantField(t, w.Header(), "X-Content-Type-Options", "nosniff")
	wantField(t, w.Header(), "Content-Language", "en")
}

func TestCacheControl(t *testing.T) {
	const (
		tip     = "public, no-cache, must-revalidate"
		settled = "public, max-age=3600, must-revalidate"
	)
	for _, c := range []struct {
		name       string
		class      answer.Class
		status     int
		settlesAt  int64
		burnHeight int64
		want       string
	}{
		{"nobody may keep it", answer.NoStore, 200, 0, 900, "no-store"},
		{"tip", answer.Tip, 200, 0, 900, tip},
		{"tip that has not settled", answer.Tip, 200, 901, 900, tip},
		{"tip that has just settled", answer.Tip, 200, 900, 900, settled},
		{"tip that settled long ago", answer.Tip, 200, 100, 900, settled},
		{"tip, height unknown", answer.Tip, 200, 100, 0, tip},
		{"settled", answer.Settled, 200, 0, 0, settled},
		{"immutable", answer.Immutable, 200, 0, 0, "public, max-age=31536000, immutable"},
		{"client error", answer.Tip, 404, 100, 900, "no-store"},
		{"immutable error", answer.Immutable, 410, 0, 0, "no-store"},
		{"server error", answer.Tip, 503, 0, 900, "no-store"},
		{"plain errors", answer.TipPlainErrors, 200, 100, 900, tip},
		{"plain client error", answer.TipPlainErrors, 422, 0, 900, ""},
		{"plain server error", answer.TipPlainErrors, 500, 0, 900, "no-store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := jsonWith(func(config *answer.Config) {
				config.Class, config.Status, config.SettlesAt = c.class, c.status, c.settlesAt
			})
			w := serve(a, http.MethodGet, nil, answer.Moment{BurnHeight: c.burnHeight})
			wantField(t, w.Header(), "Cache-Control", c.want)
			if settled := c.class == answer.Tip && c.settlesAt != 0; c.status == http.StatusOK && !settled && c.class.CacheControl() != c.want {
				t.Errorf("the class says %q", c.class.CacheControl())
			}
		})
	}
}

// A client that keeps an error would see it after its cause is gone.
func TestErrorsAndUnkeptAnswersHaveNoEntityTag(t *testing.T) {
	for name, change := range map[string]func(*answer.Config){
		"not found":    func(c *answer.Config) { c.Status = 404 },
		"server error": func(c *answer.Config) { c.Status = 500 },
		"no store":     func(c *answer.Config) { c.Class = answer.NoStore },
	} {
		t.Run(name, func(t *testing.T) {
			a := jsonWith(change)
			for _, encoding := range []string{"", "gzip", "zstd", "br"} {
				w := get(a, http.Header{"Accept-Encoding": {encoding}, "If-None-Match": {`"` + tagHex + `"`}})
				if w.Code != a.Status() || w.Body.Len() == 0 {
					t.Errorf("%q: got %d with %d bytes", encoding, w.Code, w.Body.Len())
				}
				wantField(t, w.Header(), "ETag")
			}
		})
	}
}

func TestNotModifiedHasNoContent(t *testing.T) {
	for encoding, etag := range map[string]string{"": `"` + tagHex + `"`, "gzip": `"` + tagHex + `-gzip"`, "zstd": `"` + tagHex + `-zstd"`, "br": `"` + tagHex + `-br"`} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			w := serve(answer.New(jsonConfig()), method, http.Header{"Accept-Encoding": {encoding}, "If-None-Match": {tagHex}}, answer.Moment{Position: position})
			if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
				t.Errorf("got %d %q", w.Code, w.Body)
			}
			names := slices.Sorted(maps.Keys(w.Header()))
			want := []string{"Cache-Control", "Etag", "Strata-Position", "Strata-Source", "Vary", "X-Content-Type-Options"}
			check.EqualSlices(t, "the fields", names, want)
			wantField(t, w.Header(), "ETag", etag)
			wantField(t, w.Header(), "Vary", "Accept-Encoding")
			wantField(t, w.Header(), "Cache-Control", "public, no-cache, must-revalidate")
		}
	}
}

// Also when the form has to be made first, and is not made for a 304.
func TestNotModifiedHasTheEntityTagOfTheAnswer(t *testing.T) {
	for name, a := range map[string]*answer.Answer{
		"kept":                                answer.New(jsonConfig()),
		"large":                               jsonWith(func(c *answer.Config) { c.Body = blocks(answer.MaxBody + 1) }),
		"large, of which little can be saved": jsonWith(func(c *answer.Config) { c.Body = noise(answer.MaxBody + 1) }),
		"small":                               jsonWith(func(c *answer.Config) { c.Body = []byte(`{}`) }),
		"stream":                              answer.New(streamed([]byte("head"), "rest", nil)),
	} {
		for _, encoding := range []string{"", "gzip", "zstd", "gzip, zstd;q=0.5"} {
			known := get(a, http.Header{"Accept-Encoding": {encoding}, "If-None-Match": {tagHex}})
			full := get(a, http.Header{"Accept-Encoding": {encoding}})
			if known.Code != http.StatusNotModified || full.Code != http.StatusOK {
				t.Errorf("%s: got %d and %d", name, known.Code, full.Code)
			}
			wantField(t, known.Header(), "ETag", full.Header().Get("ETag"))
			wantField(t, known.Header(), "Vary", full.Header()["Vary"]...)
		}
	}
}

func TestOnlyReadsOfWhatIsThereAreConditional(t *testing.T) {
	for _, c := range []struct {
		method string
		status int
	}{{http.MethodPost, 200}, {http.MethodPut, 200}, {http.MethodGet, 201}, {http.MethodGet, 302}, {http.MethodGet, 404}, {http.MethodHead, 404}} {
		a := jsonWith(func(config *answer.Config) { config.Status = c.status })
		for _, known := range []string{tagHex, "*"} {
			if w := serve(a, c.method, http.Header{"If-None-Match": {known}}, answer.Moment{}); w.Code != c.status {
				t.Errorf("%s of %d with If-None-Match: %s: got %d", c.method, c.status, known, w.Code)
			}
		}
	}
}

func TestHeadHasTheHeaderOfGet(t *testing.T) {
	for name, a := range map[string]*answer.Answer{
		"kept":      answer.New(jsonConfig()),
		"not kept":  jsonWith(func(c *answer.Config) { c.Class = answer.NoStore }),
		"large":     jsonWith(func(c *answer.Config) { c.Body = blocks(answer.MaxBody + 1) }),
		"small":     jsonWith(func(c *answer.Config) { c.Body = []byte(`{}`) }),
		"not found": jsonWith(func(c *answer.Config) { c.Status = 404 }),
		"stream":    answer.New(streamed([]byte("head"), "rest", nil)),
	} {
		for _, encoding := range []string{"", "gzip", "zstd", "br"} {
			header := http.Header{"Accept-Encoding": {encoding}}
			head, full := serve(a, http.MethodHead, header, answer.Moment{Position: position}), get(a, header)
			if head.Code != full.Code || head.Body.Len() != 0 {
				t.Errorf("%s: HEAD got %d with %d bytes, GET %d", name, head.Code, head.Body.Len(), full.Code)
			}
			if !maps.EqualFunc(head.Header(), full.Header(), slices.Equal[[]string]) {
				t.Errorf("%s: HEAD got %v, GET %v", name, head.Header(), full.Header())
			}
			wantField(t, full.Header(), "Content-Length", strconv.Itoa(full.Body.Len()))
		}
	}
}

// Several forms, and only then: a cache between would otherwise keep the same thing several times.
func TestVary(t *testing.T) {
	for _, c := range []struct {
		name        string
		contentType string
		body        []byte
		class       answer.Class
		varies      bool
	}{
		{"text", "application/json", blocks(1024), answer.Tip, true},
		{"text that is not kept", "application/json", blocks(1024), answer.NoStore, true},
		{"large text", "text/csv", blocks(answer.MaxBody + 1), answer.Tip, true},
		{"short text", "application/json", []byte(`{"status":"ok"}`), answer.Tip, false},
		{"nothing", "application/json", nil, answer.Tip, false},
		{"picture", "image/png", blocks(4096), answer.Tip, false},
		{"large picture", "image/png", blocks(answer.MaxBody + 1), answer.Tip, false},
		{"text that can't be made shorter", "text/plain", noise(4096), answer.Tip, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := answer.New(answer.Config{ContentType: c.contentType, Body: c.body, Class: c.class, Tag: tag})
			for _, encoding := range []string{"", "gzip", "gzip, deflate, br, zstd"} {
				w := get(a, http.Header{"Accept-Encoding": {encoding}})
				if got := w.Header().Get("Vary") == "Accept-Encoding"; got != c.varies {
					t.Errorf("%q: got Vary %q", encoding, w.Header()["Vary"])
				}
				if got := w.Header().Get("Content-Encoding") != ""; got != (c.varies && encoding != "") {
					t.Errorf("%q: got Content-Encoding %q", encoding, w.Header()["Content-Encoding"])
				}
			}
		})
	}
}

func TestFieldsOfOthersStay(t *testing.T) {
	a := answer.New(jsonConfig())
	others := append(make([]string, 0, 4), "Origin")
	for range 2 {
		header := http.Header{"Vary": others, "Access-Control-Allow-Origin": {"*"}}
		a.Serve(&discard{header: header}, &http.Request{Method: http.MethodGet}, answer.Moment{})
		wantField(t, header, "Vary", "Origin", "Accept-Encoding")
		wantField(t, header, "Access-Control-Allow-Origin", "*")
	}
	if left := others[:2][1]; left != "" {
		t.Errorf("wrote %q into the memory of somebody else", left)
	}
}

// Whoever adds to the header of one response must not change the next one.
func TestResponsesShareNothingThatCanBeChanged(t *testing.T) {
	a := jsonWith(func(c *answer.Config) {
		for range 3 { // a slice that grows by doubling has room for a fourth
			c.Fields = append(c.Fields, answer.Field{Name: "Warning", Values: []string{"299"}})
		}
	})
	first := get(a, http.Header{"Accept-Encoding": {"zstd"}})
	for name := range first.Header() {
		first.Header().Add(name, "more")
	}
	for _, values := range get(a, http.Header{"Accept-Encoding": {"zstd"}}).Header() {
		if slices.Contains(values, "more") || slices.Contains(values[:cap(values)], "more") {
			t.Errorf("got %q", values[:cap(values)])
		}
	}
}

func TestFieldsAreCanonicalAndNotThoseOfTheAnswer(t *testing.T) {
	shared := append(make([]string, 0, 8), "299 - one")
	a := answer.New(answer.Config{Body: []byte("x"), Status: 404, Fields: []answer.Field{
		{Name: "warning", Values: shared}, {Name: "WARNING", Values: []string{"299 - two"}},
		{Name: "ETag", Values: []string{`"x"`}}, {Name: "vary", Values: []string{"*"}}, {Name: "cache-control", Values: []string{"public"}},
		{Name: "Content-encoding", Values: []string{"br"}}, {Name: "Content-Length", Values: []string{"7"}}, {Name: "empty"},
	}})
	w := serve(a, http.MethodGet, nil, answer.Moment{})
	want := http.Header{
		"Warning": {"299 - one", "299 - two"}, "Cache-Control": {"no-store"}, "Content-Length": {"1"}, "Content-Type": {"application/octet-stream"},
	}
	if !maps.EqualFunc(w.Header(), want, slices.Equal[[]string]) {
		t.Errorf("got %v, want %v", w.Header(), want)
	}
	if left := shared[:2][1]; left != "" {
		t.Errorf("wrote %q into the memory of the caller", left)
	}
}

func TestStatusWithoutBody(t *testing.T) {
	w := get(answer.New(answer.Config{Status: http.StatusNoContent, Body: []byte("x"), ContentType: "text/plain"}), nil)
	if w.Code != http.StatusNoContent || w.Body.Len() != 0 {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
	wantField(t, w.Header(), "Content-Length")
	wantField(t, w.Header(), "Content-Type")
}

func TestCacheable(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*answer.Config)
		want   bool
	}{
		{"ordinary", func(*answer.Config) {}, true},
		{"not found", func(c *answer.Config) { c.Status = 404 }, true},
		{"server error", func(c *answer.Config) { c.Status = 503 }, false},
		{"nobody may keep it", func(c *answer.Config) { c.Class = answer.NoStore }, false},
		{"as large as can be", func(c *answer.Config) { c.Body = make([]byte, answer.MaxBody) }, true},
		{"too large", func(c *answer.Config) { c.Body = make([]byte, answer.MaxBody+1) }, false},
		{"stream", func(c *answer.Config) { *c = streamed(nil, "rest", nil) }, false},
	} {
		check.Equal(t, c.name, jsonWith(c.change).Cacheable(), c.want)
	}
}
