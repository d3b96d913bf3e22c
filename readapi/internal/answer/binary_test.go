package answer_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"

	"strata/internal/testkit/must"
	"strata/readapi/internal/answer"
)

var tooLarge = blocks(answer.MaxBody + 1)

// drawConfig makes any answer that has a binary form.
func drawConfig(t *rapid.T) answer.Config {
	text := rapid.StringMatching(`[ -~]{0,20}`)
	c := answer.Config{
		Status:      rapid.SampledFrom([]int{0, 200, 201, 204, 302, 304, 404, 410, 422, 500, 503}).Draw(t, "status"),
		ContentType: rapid.SampledFrom([]string{"", "application/json", "text/plain; charset=utf-8", "image/png"}).Draw(t, "content type"),
		Class:       answer.Class(rapid.IntRange(int(answer.NoStore), int(answer.TipPlainErrors)).Draw(t, "class")),
		SettlesAt:   rapid.Int64().Draw(t, "settles at"),
		Fields: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) answer.Field {
			return answer.Field{
				Name:   rapid.SampledFrom([]string{"Warning", "warning", "X-A", "x-b", "Content-Language", "Strata-Source", "ETag"}).Draw(t, "name"),
				Values: rapid.SliceOfN(text, 0, 3).Draw(t, "values"),
			}
		}), 0, 5).Draw(t, "fields"),
	}
	if rapid.Bool().Draw(t, "tagged") {
		copy(c.Tag[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "tag"))
	}
	switch rapid.SampledFrom([]string{"empty", "short", "long", "noise", "too large to keep"}).Draw(t, "body") {
	case "short":
		c.Body = rapid.SliceOfN(rapid.Byte(), 1, 100).Draw(t, "bytes")
	case "long":
		c.Body = blocks(rapid.IntRange(1000, 5000).Draw(t, "size"))
	case "noise":
		c.Body = noise(2000)
	case "too large to keep":
		c.Body = tooLarge
	}
	return c
}

func TestStoredAnswersAreServedTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := answer.New(drawConfig(t))
		if rapid.Bool().Draw(t, "with a form") {
			get(a, http.Header{"Accept-Encoding": {"zstd"}})
		}
		before := []byte("before")
		stored := a.AppendBinary(before)
		if !bytes.HasPrefix(stored, before) {
			t.Fatal("what was there before is gone")
		}
		stored = stored[len(before):]
		b := must.Get(answer.Parse(stored))(t)
		if b.Status() != a.Status() || b.Class() != a.Class() || b.Cacheable() != a.Cacheable() {
			t.Errorf("got %d, %d, %v; want %d, %d, %v", b.Status(), b.Class(), b.Cacheable(), a.Status(), a.Class(), a.Cacheable())
		}
		if a.Cacheable() && b.Weight() != a.Weight() {
			t.Errorf("got the weight %d, want %d", b.Weight(), a.Weight())
		}
		if !bytes.Equal(b.AppendBinary(nil), stored) {
			t.Error("stored again, it is something else")
		}
		now := answer.Moment{Position: position, BurnHeight: rapid.Int64().Draw(t, "burn height")}
		for _, encoding := range []string{"", "gzip", "zstd", "br"} {
			for _, known := range []string{"", "*"} {
				header := http.Header{"Accept-Encoding": {encoding}, "If-None-Match": {known}}
				got, want := serve(b, http.MethodGet, header, now), serve(a, http.MethodGet, header, now)
				if got.Code != want.Code || !bytes.Equal(got.Body.Bytes(), want.Body.Bytes()) ||
					!maps.EqualFunc(got.Header(), want.Header(), slices.Equal[[]string]) {
					t.Errorf("%q: got %d %v, want %d %v", encoding, got.Code, got.Header(), want.Code, want.Header())
				}
			}
		}
	})
}

func TestDamageIsNoticed(t *testing.T) {
	whole := answer.New(jsonConfig()).AppendBinary(nil)
	for i := range whole {
		damaged := slices.Clone(whole)
		damaged[i] ^= 0x10
		if _, err := answer.Parse(damaged); err == nil {
			t.Errorf("byte %d was changed, and nobody noticed", i)
		}
		if _, err := answer.Parse(whole[:i]); err == nil {
			t.Errorf("the end is missing from byte %d on, and nobody noticed", i)
		}
	}
	if _, err := answer.Parse(append(whole, 0)); err == nil {
		t.Error("a byte too many, and nobody noticed")
	}
}

// raw is a binary form with the right checksum, whatever is in it.
func raw(content []byte) []byte {
	return append(binary.BigEndian.AppendUint64([]byte("ans\x04"), xxhash.Sum64(content)), content...)
}

func numbers(status uint16, class byte) string {
	return string(binary.BigEndian.AppendUint16(nil, status)) + string(class) + strings.Repeat("\x07", 16) + strings.Repeat("\x00", 8)
}

func TestParseRefuses(t *testing.T) {
	ok := numbers(200, 2)
	if _, err := answer.Parse(raw([]byte(ok + "\x0atext/plain\x01\x03X-A\x01\x01v\x01b\x00\x00\x00"))); err != nil {
		t.Fatalf("the one that all of these are variants of: %v", err)
	}
	for _, c := range []struct{ name, content, want string }{
		{"nothing", "", "it ends early"},
		{"numbers only", ok, "it ends early"},
		{"status 0", numbers(0, 2) + "\x00\x00\x00\x00\x00\x00", "status 0"},
		{"status that is not final", numbers(100, 2) + "\x00\x00\x00\x00\x00\x00", "status 100"},
		{"status beyond all", numbers(1000, 2) + "\x00\x00\x00\x00\x00\x00", "status 1000"},
		{"class", numbers(200, 6) + "\x00\x00\x00\x00\x00\x00", "class 6"},
		{"no class", numbers(200, 0) + "\x00\x00\x00\x00\x00\x00", "class 0"},
		{"content type beyond the end", ok + "\xff\x01x", "it ends early"},
		{"length that is no number", ok + strings.Repeat("\xff", 11), "it ends early"},
		{"length of 2^64-1", ok + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "it ends early"},
		{"2^63 fields", ok + "\x00\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "it ends early"},
		{"2^63 values", ok + "\x00\x01\x01X\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "it ends early"},
		{"field without values", ok + "\x00\x01\x03X-A\x00\x00\x00\x00\x00", "header fields"},
		{"name that is not canonical", ok + "\x00\x01\x03x-a\x01\x01v\x00\x00\x00\x00", "header fields"},
		{"field of the answer itself", ok + "\x00\x01\x04Etag\x01\x01v\x00\x00\x00\x00", "header fields"},
		{"fields not in order", ok + "\x00\x02\x01Y\x01\x01v\x01X\x01\x01v\x00\x00\x00\x00", "header fields"},
		{"field twice", ok + "\x00\x02\x01X\x01\x01v\x01X\x01\x01v\x00\x00\x00\x00", "header fields"},
		{"body without type", ok + "\x00\x00\x01b\x00\x00\x00", "content type"},
		{"body where there is none", numbers(204, 2) + "\x00\x00\x01b\x00\x00\x00", "a body of 1 bytes, with status 204"},
		{"form of an answer that is not kept", numbers(200, 1) + "\x01t\x00\x01b\x01g\x00\x00", "forms"},
		{"forms missing", ok + "\x01t\x00\x01b", "it ends early"},
		{"more", ok + "\x01t\x00\x01b\x00\x00\x00more", "4 bytes too many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := answer.Parse(slices.Grow(raw([]byte(c.content)), 1<<10)) // the end is where the data ends, not the memory
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v; want %q", a, err, c.want)
			}
		})
	}
	if _, err := answer.Parse([]byte("ans\x02" + strings.Repeat("x", 100))); err == nil || !strings.Contains(err.Error(), "it starts with") {
		t.Errorf("a version that is not ours: %v", err)
	}
}

func TestStreamHasNoBinaryForm(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("part of a body was stored as the whole")
		}
	}()
	c := streamed([]byte("head"), "rest", nil)
	c.Rest = func(context.Context, io.Writer) error { return nil }
	answer.New(c).AppendBinary(nil)
}

// Whatever is in the cache: an error, or an answer that can be served and is stored as it came.
func FuzzParse(f *testing.F) {
	header := len(raw(nil))
	f.Add([]byte{})
	withForms := answer.New(jsonConfig())
	for _, encoding := range []string{"gzip", "zstd", "br"} {
		get(withForms, http.Header{"Accept-Encoding": {encoding}})
	}
	for _, a := range []*answer.Answer{
		withForms, answer.New(jsonConfig()), answer.New(answer.Config{}), answer.New(answer.Config{Status: 404, Body: []byte("{}")}),
		jsonWith(func(c *answer.Config) { c.Class = answer.NoStore }),
	} {
		f.Add(a.AppendBinary(nil)[header:])
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if a, err := answer.Parse(content); err == nil { // no checksum, or one that is right by chance
			get(a, nil)
		}
		stored := raw(content)
		a, err := answer.Parse(stored)
		if err != nil {
			return
		}
		// A field's value costs a byte at least here, and a string there, in a slice that may be half empty.
		if limit := 40*len(stored) + 4096; a.Weight() > limit {
			t.Errorf("%d bytes became %d", len(stored), a.Weight())
		}
		for _, encoding := range []string{"", "gzip", "zstd", "br"} {
			w := get(a, http.Header{"Accept-Encoding": {encoding}})
			if w.Code != a.Status() || w.Body.Len() > 0 && w.Header().Get("Content-Type") == "" {
				t.Errorf("got %d %v", w.Code, w.Header())
			}
		}
		again, err := answer.Parse(a.AppendBinary(nil))
		if err != nil || !bytes.Equal(again.AppendBinary(nil), a.AppendBinary(nil)) {
			t.Errorf("it is not what it was: %v", err)
		}
	})
}
