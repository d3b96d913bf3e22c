package ordinals_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
	"strata/rig/schemas"
)

// Rows I-12 and I-13, and what else is to be said of bytes that strangers made.
func TestInscriptionContent(t *testing.T) {
	t.Parallel()
	const delegating, lost = "42174ecc8a245841035793390bb53d63b3c2acb61366446f601b09e73b94b656", "52174ecc8a245841035793390bb53d63b3c2acb61366446f601b09e73b94b656"
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, 1676913207,
		apitest.Ra(0, 1, apitest.Fields{"content_type": "text/plain"}),
		apitest.InTx(delegating, apitest.RevealOf(delegating, 1, 2, apitest.Fields{"content_bytes": "0x", "content_length": 0, "content_type": "image/png", "delegate": idA})),
		apitest.InTx(lost, apitest.RevealOf(lost, 2, 3, apitest.Fields{"content_bytes": hexOf("own"), "content_type": "", "delegate": apitest.TxC + "i0"})),
		apitest.InTx(apitest.TxE, apitest.RevealOf(apitest.TxE, 3, 4, apitest.Fields{"content_bytes": "0x", "content_length": 9, "content_type": "unknown"})),
		apitest.InTx(apitest.TxF, apitest.RevealOf(apitest.TxF, 4, 5, apitest.Fields{"delegate": delegating + "i0"})),
		apitest.InTx(apitest.TxG, apitest.RevealOf(apitest.TxG, 5, 6, apitest.Fields{"content_type": "text/html\r\nSet-Cookie: a=b"})),
	))
	for _, tc := range []struct{ id, number, body, contentType string }{
		{idA, "0", "Hello", "text/plain"},
		{delegating + "i0", "1", "Hello", "text/plain"},
		{lost + "i0", "2", "own", "application/octet-stream"},
		{apitest.TxE + "i0", "3", "", "unknown"},
		{apitest.TxF + "i0", "4", "", "image/png"}, // the delegate's own bytes: there are no chains
		{idG, "5", "Hello", "text/htmlSet-Cookie: a=b"},
	} {
		tag := ""
		for _, prefix := range []string{"/ordinals/v1/inscriptions/", "/ordinals/inscriptions/"} {
			for _, name := range []string{tc.id, tc.number} {
				got := s.Expect(prefix+name+"/content", 200, tc.body)
				for header, want := range map[string]string{
					"Content-Type": tc.contentType, "Content-Length": fmt.Sprint(len(tc.body)), "X-Content-Type-Options": "nosniff", "Accept-Ranges": "bytes",
					"Cache-Control": "public, no-cache, must-revalidate", "Access-Control-Allow-Origin": "*",
				} {
					check.Equal(t, fmt.Sprintf("%s: %s", name, header), got.Header.Get(header), want)
				}
				if policy := got.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox; default-src 'none'; ") || strings.Contains(policy, "script") {
					t.Errorf("%s: got policy %q", name, policy)
				}
				if tag == "" {
					tag = got.Header.Get("ETag")
				}
				if !apitest.StrongTag.MatchString(tag) || got.Header.Get("ETag") != tag {
					t.Errorf("%s: got tags %s and %s, want one", name, tag, got.Header.Get("ETag"))
				}
				if again := s.Request("GET", prefix+name+"/content", "If-None-Match", tag); again.Status != 304 || again.Body != "" {
					t.Errorf("%s: got %d, want 304", name, again.Status)
				}
				if head := s.Request("HEAD", prefix+name+"/content"); head.Status != 200 || head.Body != "" || head.Header.Get("Content-Length") != fmt.Sprint(len(tc.body)) {
					t.Errorf("%s: HEAD got %d %v", name, head.Status, head.Header)
				}
			}
		}
	}
	s.ExpectMembers("the delegating one", s.JSON("/inscriptions/1"), apitest.Fields{"delegate": idA, "content_length": 0})
	// Seven blocks later nobody expects it to be taken back, unless a delegate may still come.
	s.Apply(many(778582, 9))
	for number, want := range map[int]string{0: "public, max-age=3600, must-revalidate", 1: "public, max-age=3600, must-revalidate", 2: "public, no-cache, must-revalidate"} {
		check.Equal(t, fmt.Sprintf("%d: Cache-Control", number), s.Get(fmt.Sprintf("/ordinals/v1/inscriptions/%d/content", number)).Header.Get("Cache-Control"), want)
	}
}

// A content whose digits are written as escapes is found by decoding.
func TestEscapedContent(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t)
	body := apitest.AsJSON(t, apitest.Fields{"chainhook": apitest.Fields{"uuid": "1", "is_streaming_blocks": false}, "rollback": []any{}, "apply": []any{
		apitest.At(778575, 1676913207, apitest.Rb(0, 1)), apitest.At(778576, 1676913207, apitest.Ra(1, 2), apitest.Rg(2, 3)),
	}})
	s.PostBody([]byte(strings.Replace(body, `"0x48656C6C6F"`, `"0x48\u0036\u0035\u0036C6C6F"`, 1)))
	var direct int
	if err := s.Pool.QueryRow(t.Context(), schemas.In(`SELECT count(content_at) FROM {inscriptions}.inscription`)).Scan(&direct); err != nil || direct != 2 {
		t.Fatalf("got %d of 3 contents that are written as they are (%v), want 2", direct, err)
	}
	for number, want := range []string{"Hello", "Hello", "Hello"} {
		s.Expect(fmt.Sprintf("/ordinals/v1/inscriptions/%d/content", number), 200, want)
	}
}

// contentReply is an answer but for its body.
type contentReply struct {
	status int
	length int64
	header http.Header
}

// Contents in parts: short ones, from memory, and long ones, from the log.
func TestContentInParts(t *testing.T) {
	t.Parallel()
	long := make([]byte, 2<<20+777)
	for i := range long {
		long[i] = byte(i>>16 ^ i*31)
	}
	short := []byte(strings.Repeat("0123456789", 400))
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, 1676913207,
		apitest.Ra(0, 1, apitest.Fields{"content_bytes": hexOf(string(short)), "content_type": "text/plain"}), apitest.Rb(1, 2, apitest.Fields{"content_bytes": hexOf(string(long)), "content_type": "text/plain"})))
	server := httptest.NewServer(s.API)
	defer server.Close()
	for number, whole := range [][]byte{short, long} {
		target := fmt.Sprintf("%s/ordinals/v1/inscriptions/%d/content", server.URL, number)
		n := len(whole)
		ask := func(method string, header ...string) (got contentReply, body []byte) {
			t.Helper()
			r := must.Get(http.NewRequestWithContext(t.Context(), method, target, nil))(t)
			for i := 0; i+1 < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			response, err := apitest.Plain.Do(r)
			must.Do(t, err)
			body = must.Get(io.ReadAll(response.Body))(t)
			must.Do(t, response.Body.Close())
			return contentReply{response.StatusCode, response.ContentLength, response.Header}, body
		}
		first, body := ask("GET")
		tag := first.header.Get("ETag")
		if first.status != 200 || !bytes.Equal(body, whole) || first.header.Get("Accept-Ranges") != "bytes" || !apitest.StrongTag.MatchString(tag) || first.length != int64(n) {
			t.Errorf("%d: got %d, %d bytes, %v", number, first.status, len(body), first.header)
		}
		for _, tc := range []struct {
			header []string
			status int
			from   int
			to     int // not included
		}{
			{[]string{"Range", "bytes=0-0"}, 206, 0, 1},
			{[]string{"Range", "bytes=100-299"}, 206, 100, 300},
			{[]string{"Range", "bytes=3999-"}, 206, 3999, n},
			{[]string{"Range", "bytes=-7"}, 206, n - 7, n},
			{[]string{"Range", "bytes=1000-99999999"}, 206, 1000, n},
			{[]string{"Range", "bytes=100-299", "Accept-Encoding", "gzip"}, 206, 100, 300},
			{[]string{"Range", "bytes=100-299", "If-Range", tag}, 206, 100, 300},
			{[]string{"Range", "bytes=100-299", "If-Range", `"another"`}, 200, 0, n},
			{[]string{"Range", "lines=1-2"}, 416, 0, 0},
			{[]string{"Range", "bytes=99999999-"}, 416, 0, 0},
			{[]string{"Range", "bytes=100-299", "If-None-Match", tag}, 304, 0, 0},
			{[]string{"Range", "bytes=100-299", "If-None-Match", `"another"`}, 206, 100, 300},
		} {
			got, body := ask("GET", tc.header...)
			if got.status != tc.status {
				t.Errorf("%d, %v: got %d, want %d", number, tc.header, got.status, tc.status)
				continue
			}
			if tc.status != 416 && !bytes.Equal(body, whole[tc.from:tc.to]) {
				t.Errorf("%d, %v: got %d bytes, want from %d to %d", number, tc.header, len(body), tc.from, tc.to)
			}
			want := ""
			if tc.status == 206 {
				want = fmt.Sprintf("bytes %d-%d/%d", tc.from, tc.to-1, n)
			} else if tc.status == 416 && tc.header[1][0] == 'b' {
				want = fmt.Sprintf("bytes */%d", n)
			}
			if got.header.Get("Content-Range") != want || got.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%d, %v: got %v, want Content-Range %q", number, tc.header, got.header, want)
			}
			if tc.status == 206 && (got.header.Get("ETag") != tag || got.header.Get("Content-Type") != "text/plain" || got.header.Get("Content-Encoding") != "") {
				t.Errorf("%d, %v: got %v", number, tc.header, got.header)
			}
		}
		if head, body := ask("HEAD", "Range", "bytes=100-299"); head.status != 206 || len(body) != 0 || head.length != 200 {
			t.Errorf("%d: HEAD got %d %v", number, head.status, head.header)
		}
		if head, body := ask("HEAD"); head.status != 200 || len(body) != 0 || head.length != int64(n) {
			t.Errorf("%d: HEAD got %d %v", number, head.status, head.header)
		}
	}
}

// A content type becomes a header only if clients take a header of that length. The inscription has it whole.
func TestContentTypeTooLongForAHeader(t *testing.T) {
	t.Parallel()
	longest := "text/" + strings.Repeat("x", 507)
	long := longest + "y"
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, apitest.DefaultTime,
		apitest.Ra(0, apitest.Sat, apitest.Fields{"content_type": longest}), apitest.Rb(1, 5, apitest.Fields{"content_type": strings.Repeat(long, 600)})))
	if got := s.Get("/ordinals/v1/inscriptions/0/content"); got.Status != 200 || got.Header.Get("Content-Type") != longest {
		t.Errorf("got %d with %d bytes of content type", got.Status, len(got.Header.Get("Content-Type")))
	}
	got := s.Get("/ordinals/v1/inscriptions/1/content")
	if got.Status != 200 || got.Header.Get("Content-Type") != "application/octet-stream" || got.Body != "Hello" {
		t.Errorf("got %d %q with %d bytes of content type", got.Status, got.Body, len(got.Header.Get("Content-Type")))
	}
	s.ExpectInscription(idB, "1", apitest.Fields{"content_type": strings.Repeat(long, 600)})
}
