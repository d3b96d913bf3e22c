package document_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"strata/domain/document"
)

// FuzzParse checks that any document that parses can be encoded and decoded without change, and has only storable
// content.
func FuzzParse(f *testing.F) {
	f.Add([]byte(englishBody))
	f.Add([]byte(spanishBody))
	f.Add([]byte("\ufeff{name: 'a\\0\\ud800', /* b */ image_url: \"c\", properties: {image_data: '{id}', n: [0x1f, Infinity]},}"))
	f.Add([]byte(`{"name":5,"attributes":[{"trait_type":1e2,"value":null,"display_type":null},{}],"localization":{"uri":"a","default":"b","locales":["c","b"]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := document.ParseLocalised(body)
		own, ownErr := document.Parse(body)
		if err != nil {
			if ownErr == nil {
				t.Fatalf("Parse accepts %q, but ParseLocalised does not", body)
			}
			return
		}
		if (ownErr == nil) != (d.Name != nil) || ownErr == nil && !reflect.DeepEqual(own, d) {
			t.Fatalf("Parse(%q) = %+v, %v, ParseLocalised gives %+v", body, own, ownErr, d)
		}
		b := d.Encode()
		if !json.Valid(b) || !utf8.Valid(b) {
			t.Fatalf("Encode of %q = %q", body, b)
		}
		got, err := document.Decode(b)
		if err != nil {
			t.Fatalf("Decode(%s): %v", b, err)
		}
		if !reflect.DeepEqual(got, d) {
			t.Fatalf("Decode(%s) = %+v, want %+v", b, got, d)
		}
		for _, p := range d.Properties {
			if !utf8.ValidString(p.Name) || strings.Contains(p.Name, "\x00") || !json.Valid(p.Value) {
				t.Fatalf("property %q: %s", p.Name, p.Value)
			}
		}
		if _, err := document.Decode(document.Localise(d, d).Substitute("1").Encode()); err != nil {
			t.Fatalf("Decode of %s after Localise and Substitute: %v", b, err)
		}
	})
}

// FuzzParseData checks that a data URI returns the bytes that were put into it, and that the result has a media type.
func FuzzParseData(f *testing.F) {
	f.Add(`data:application/json;utf8,{"name":"Foo"}`)
	f.Add("data:image/svg+xml;base64,PHN2Zy8-")
	f.Add("data:,%7B%7d%")
	f.Fuzz(func(t *testing.T, uri string) {
		mediaType, body, err := document.ParseData(uri)
		if err == nil && (mediaType == "" || !document.IsData(uri) || len(body) > len(uri)) {
			t.Fatalf("ParseData(%q) = %q, %q", uri, mediaType, body)
		}
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			_, got, err := document.ParseData("data:;base64," + encoding.EncodeToString([]byte(uri)))
			if err != nil || string(got) != uri {
				t.Fatalf("base 64 of %q = %q, %v", uri, got, err)
			}
		}
		_, got, err := document.ParseData("data:text/plain," + url.PathEscape(uri))
		if !json.Valid([]byte(url.PathEscape(uri))) && (err != nil || string(got) != uri) {
			t.Fatalf("percent-encoding of %q = %q, %v", uri, got, err)
		}
	})
}

// FuzzResolve checks that every candidate is a valid URL, and that no candidate leads above the base URL of its
// gateway.
func FuzzResolve(f *testing.F) {
	for _, uri := range []string{
		"ipfs://ipfs/" + cidV0 + "/a/../b c?d#e", "ipns://example.com", "ar://a/1.json?b", cidV1 + "/1", "ftp://m.io", "data:,a",
		"https://ipfs.io/ipfs/" + cidV0 + "/%2e%2e/1?a=%", "https://" + cidV1 + ".ipfs.dweb.link:443/1?a=b", "http://[::1]:80/",
	} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		candidates, err := document.Resolve(uri, gateways)
		if (err == nil) != (len(candidates) > 0) {
			t.Fatalf("Resolve(%q) = %+v, %v", uri, candidates, err)
		}
		if document.IsData(uri) && err == nil {
			t.Fatalf("Resolve(%q) = %+v, want an error for a data URI", uri, candidates)
		}
		for _, c := range candidates {
			u, err := url.Parse(c.URL)
			if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
				t.Fatalf("Resolve(%q) gives %q: %v", uri, c.URL, err)
			}
			if c.Gateway == "" {
				continue
			}
			base := strings.TrimRight(c.Gateway, "/")
			path, ok := strings.CutPrefix(c.URL, base+"/")
			if base != "https://arweave.net" {
				space, rest, _ := strings.Cut(path, "/")
				path, ok = rest, ok && (space == "ipfs" || space == "ipns")
			}
			name, _, _ := strings.Cut(path, "/")
			if !ok || name == "" || u.Fragment != "" || bytes.ContainsAny([]byte(c.URL), " \r\n\x00") {
				t.Fatalf("Resolve(%q) gives %q below %q", uri, c.URL, c.Gateway)
			}
			for _, segment := range strings.Split(u.Path, "/") {
				if segment == "." || segment == ".." {
					t.Fatalf("Resolve(%q) gives %q, which has a dot segment", uri, c.URL)
				}
			}
		}
	})
}
