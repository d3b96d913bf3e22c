package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"strata/domain/document"
	"strata/internal/testkit/must"
)

// D4: SIP-016 allows a document within its URI.
func TestParseData(t *testing.T) {
	for _, tc := range []struct{ name, uri, mediaType, body string }{
		{"D4 JSON as it is", `data:application/json,{"name":"Foo"}`, "application/json", `{"name":"Foo"}`},
		{"D4 base 64", "data:application/json;base64,eyJuYW1lIjoiRm9vIn0=", "application/json", `{"name":"Foo"}`},
		{"D4 percent-encoded", "data:application/json,%7B%22name%22%3A%22Foo%22%7D", "application/json", `{"name":"Foo"}`},
		{"D4 bare parameter", `data:application/json;utf8,{"name":"Foo"}`, "application/json", `{"name":"Foo"}`},
		{"bare parameter before base 64", "data:image/svg+xml;utf8;base64,PHN2Zy8+", "image/svg+xml", "<svg/>"},
		{"parameters", "data:application/json;charset=utf-8;a=b;BASE64,e30", "application/json", "{}"},
		{"partly encoded", `data:application/json,{"name":"a%20b",%22c%22:1}`, "application/json", `{"name":"a b","c":1}`},
		{"JSON with a percent sign", `data:application/json,{"name":"100%25"}`, "application/json", `{"name":"100%25"}`},
		{"encoded later than at its start", "data:image/svg+xml;utf8,<svg%20/>", "image/svg+xml", "<svg />"},
		{"a percent sign that encodes nothing", "data:text/plain,100%,%4", "text/plain", "100%,%4"},
		{"commas and plus signs", "data:text/plain,a,b+c", "text/plain", "a,b+c"},
		{"a number sign", `data:application/json,{"color":"#fff"}`, "application/json", `{"color":"#fff"}`},
		{"no media type", "data:,a", "text/plain", "a"},
		{"only a parameter", "data:;charset=utf-8,a", "text/plain", "a"},
		{"only base 64", "data:;base64,YQ==", "text/plain", "a"},
		{"no semicolon", "data:base64,YQ==", "text/plain", "a"},
		{"capitals and blanks", " DATA:Application/JSON ; Base64 ,YQ\n", "application/json", "a"},
		{"base 64 without padding", "data:;base64,YQ", "text/plain", "a"},
		{"base 64 encoded", "data:;base64,YQ%3D%3D", "text/plain", "a"},
		{"base 64 of the standard alphabet", "data:;base64,+/+/", "text/plain", "\xfb\xff\xbf"},
		{"base 64 of the alphabet for URLs", "data:;base64,-_-_", "text/plain", "\xfb\xff\xbf"},
		{"base 64 on lines", "data:;base64,Y W\r\nJj\t", "text/plain", "abc"},
		{"nothing", "data:,", "text/plain", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !document.IsData(tc.uri) {
				t.Errorf("IsData(%q) = false", tc.uri)
			}
			mediaType, body, err := document.ParseData(tc.uri)
			if err != nil {
				t.Fatal(err)
			}
			if mediaType != tc.mediaType || string(body) != tc.body {
				t.Errorf("ParseData(%q) = %q, %q, want %q, %q", tc.uri, mediaType, body, tc.mediaType, tc.body)
			}
		})
	}
}

func TestParseDataError(t *testing.T) {
	for _, tc := range []struct{ name, uri, want string }{
		{"another scheme", "https://m.io/1.json", "its scheme is not data"},
		{"no comma", "data:application/json;base64", "no comma"},
		{"not base 64", "data:;base64,a*", "not in base 64"},
		{"cut short", "data:;base64,YWJjZ", "not in base 64"},
		{"padding within", "data:;base64,YQ==YQ==", "not in base 64"},
		{"long", "data:;base64," + strings.Repeat("*", 100_000), "not in base 64"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, body, err := document.ParseData(tc.uri)
			if err == nil {
				t.Fatalf("ParseData = %q, want an error", body)
			}
			if !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1000 {
				t.Errorf("got %q, want it to contain %q", err, tc.want)
			}
		})
	}
	for _, uri := range []string{"", "data", "database:,a", "https://m.io/data:,a"} {
		if document.IsData(uri) {
			t.Errorf("IsData(%q) = true", uri)
		}
	}
}

// An SVG in a document is what its data URI has.
func TestSVGInDocument(t *testing.T) {
	for _, svg := range []string{
		`<svg xmlns="http://www.w3.org/2000/svg" width="100%"><style>a{fill:#fff}</style><text>50%25 100% \u00e9 "\\" {id} {x}|^` + "`" + `</text></svg>`,
		"\ufeff\r\n<!-- x -->\t<svg/>",
		`<svg>{"name":"x"}</svg>`,
	} {
		d := must.Get(document.Parse(must.Get(json.Marshal(map[string]string{"name": "a", "image": svg}))(t)))(t)
		mediaType, body, err := document.ParseData(*d.Image)
		if err != nil || mediaType != "image/svg+xml" || string(body) != svg {
			t.Errorf("%s: got %s %q, %v, want %q", *d.Image, mediaType, body, err, svg)
		}
	}
}
