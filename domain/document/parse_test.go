package document_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/domain/document"
	"strata/internal/testkit/must"
)

func parse(t *testing.T, body string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(body))
	if err != nil {
		t.Fatalf("Parse(%q): %v", body, err)
	}
	return d
}

func parseLocalised(t *testing.T, body string) *document.Document {
	t.Helper()
	d, err := document.ParseLocalised([]byte(body))
	if err != nil {
		t.Fatalf("ParseLocalised(%q): %v", body, err)
	}
	return d
}

// check compares the encoding of a document, which has all of its content.
func check(t *testing.T, d *document.Document, want string) {
	t.Helper()
	if got := string(d.Encode()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestParse(t *testing.T) {
	for _, tc := range []struct{ name, body, want string }{
		{"M4 null and boolean properties, localization without a uri",
			`{"name":"Foo","description":null,"properties":{"a":null,"b":true,"c":7},
			  "localization":{"uri":null,"default":"en","locales":["en"]}}`,
			`{"name":"Foo","properties":{"a":null,"b":true,"c":7}}`},
		{"M6 plain",
			`{"sip":16,"name":"Foo","description":"Bar","image":"ipfs://cid/1.png",
			  "attributes":[{"trait_type":"Background","value":"Lapis Lazuli"}],"properties":{"collection":"Foos"}}`,
			`{"name":"Foo","description":"Bar","image":"ipfs://cid/1.png","attributes":[{"trait_type":"Background",` +
				`"value":"Lapis Lazuli"}],"properties":{"collection":"Foos"}}`},
		{"M7 trailing commas and an emoji", `{"name":"Foo 🎉", "image": "a",}`, `{"name":"Foo 🎉","image":"a"}`},
		{"T4 image under an unknown name", `{"name":"Foo","image_location":"https://m.io/1.png"}`, `{"name":"Foo"}`},
		{"T5 attributes and properties of every kind",
			`{"name":"Foo","image":"https://m.io/1.png","attributes":[
			   {"trait_type":"Background","value":"Blue"},
			   {"trait_type":"Level","value":5,"display_type":"Number"},
			   {"trait_type":"Parts","value":["a","b"]}],
			  "properties":{"z":{"a":1,"b":2},"collection":"Foos","t":true,"f":false,"n":5000}}`,
			`{"name":"Foo","image":"https://m.io/1.png","attributes":[{"trait_type":"Background","value":"Blue"},` +
				`{"trait_type":"Level","display_type":"Number","value":5},{"trait_type":"Parts","value":["a","b"]}],` +
				`"properties":{"z":{"a":1,"b":2},"collection":"Foos","t":true,"f":false,"n":5000}}`},
		{"D11 values that token-metadata-api loses",
			`{"name":"a","attributes":[
			   {"trait_type":"0","value":0},{"trait_type":"false","value":false},{"trait_type":"empty","value":""},
			   {"trait_type":"null","value":null},{"trait_type":"booleans","value":[true]},
			   {"trait_type":"no display","value":1,"display_type":null}],"properties":{"a":null}}`,
			`{"name":"a","attributes":[{"trait_type":"0","value":0},{"trait_type":"false","value":false},` +
				`{"trait_type":"empty","value":""},{"trait_type":"null","value":null},{"trait_type":"booleans","value":[true]},` +
				`{"trait_type":"no display","value":1}],"properties":{"a":null}}`},
		{"D11 a bad attribute drops only itself",
			`{"name":"a","attributes":[1,null,{},{"trait_type":"no value"},{"value":"no trait"},{"trait_type":"","value":1},
			   {"trait_type":true,"value":1},{"trait_type":"bad display","value":1,"display_type":5},[],
			   {"trait_type":"good","value":1,"max_value":9}]}`,
			`{"name":"a","attributes":[{"trait_type":"good","value":1}]}`},
		{"numeric trait", `{"name":"a","attributes":[{"trait_type":1.50,"value":1}]}`,
			`{"name":"a","attributes":[{"trait_type":"1.50","value":1}]}`},
		{"attributes of another kind", `{"name":"a","attributes":{"trait_type":"a","value":1}}`, `{"name":"a"}`},
		{"properties of another kind", `{"name":"a","properties":[1]}`, `{"name":"a"}`},
		{"integers of any size", `{"name":"a","properties":{"n":340282366920938463463374607431768211455,"f":1.10}}`,
			`{"name":"a","properties":{"n":340282366920938463463374607431768211455,"f":1.10}}`},
		{"numbers that are not finite", `{"name":"a","properties":{"n":Infinity,"m":[NaN]}}`, `{"name":"a","properties":{"n":null,"m":[null]}}`},
		{"zeros and lone surrogates", `{"na\u0000me":"a\u0000\ud800b","properties":{"\u0000p":["\udc00"]}}`,
			`{"name":"ab","properties":{"p":[""]}}`},
		{"byte order mark, comments, quotes", "\ufeff// a\n{name: 'Foo', /* b */ image: 'c'}", `{"name":"Foo","image":"c"}`},
		{"number as name", `{"name":5,"description":1.0}`, `{"name":"5","description":"1.0"}`},
		{"falsy names", `{"name":0,"description":false}`, `{"name":"0","description":"false"}`},
		{"description of another kind", `{"name":"a","description":{"en":"b"}}`, `{"name":"a"}`},
		{"empty description", `{"name":"a","description":""}`, `{"name":"a","description":""}`},
		{"order of images", `{"name":"a","image_canonical_uri":"5","image_uri":"4","image_url":"3","imageUrl":"2","image":"1"}`,
			`{"name":"a","image":"1"}`},
		{"second image", `{"name":"a","image_url":"3","imageUrl":"2","image":null}`, `{"name":"a","image":"2"}`},
		{"third image", `{"name":"a","image_uri":"4","image_url":"3","imageUrl":""}`, `{"name":"a","image":"3"}`},
		{"fourth image", `{"name":"a","image_canonical_uri":"5","image_uri":"4","image_url":7}`, `{"name":"a","image":"4"}`},
		{"fifth image", `{"name":"a","image_data":"7","image_canonical_uri":"5"}`, `{"name":"a","image":"5"}`},
		{"data of an image", `{"name":"a","image_data":"7","properties":{"image_data":"6"}}`,
			`{"name":"a","image":"6","properties":{"image_data":"6"}}`},
		{"last image", `{"name":"a","image_data":"7"}`, `{"name":"a","image":"7"}`},
		{"SVG as image", `{"name":"a","image":"<svg xmlns='http://www.w3.org/2000/svg' fill='#f00' width='100%'><text>50%25 é</text></svg>"}`,
			`{"name":"a","image":"data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20fill='%23f00'%20width='100%25'%3E%3Ctext%3E50%2525%20%C3%A9%3C/text%3E%3C/svg%3E"}`},
		{"SVG with a declaration", `{"name":"a","image_data":"\ufeff\n<?xml version=\"1.0\"?>\n<svg/>"}`,
			`{"name":"a","image":"data:image/svg+xml,%EF%BB%BF%0A%3C?xml%20version=%221.0%22?%3E%0A%3Csvg/%3E"}`},
		{"SVG with placeholders", `{"name":"a","image":"<svg><style>a{id}</style>{ID} $TOKEN_ID {locale} {x}</svg>"}`,
			`{"name":"a","image":"data:image/svg+xml,%3Csvg%3E%3Cstyle%3Ea{id}%3C/style%3E{ID}%20$TOKEN_ID%20{locale}%20%7Bx%7D%3C/svg%3E"}`},
		{"HTML as image", `{"name":"a","image":"<html>"}`, `{"name":"a","image":"<html>"}`},
		{"URI with an SVG", `{"name":"a","image":"data:image/svg+xml;utf8,<svg/>"}`, `{"name":"a","image":"data:image/svg+xml;utf8,<svg/>"}`},
		{"image of another kind", `{"name":"a","image":{"uri":"b"}}`, `{"name":"a"}`},
		{"empty image", `{"name":"a","image":""}`, `{"name":"a"}`},
		{"localization", `{"name":"a","localization":{"uri":"http://m.io/{id}-{locale}.json","default":"en","locales":["en","es-MX","es-MX","","fr"]}}`,
			`{"name":"a","localization":{"uri":"http://m.io/{id}-{locale}.json","default":"en","locales":["es-MX","fr"]}}`},
		{"localization without others", `{"name":"a","localization":{"uri":"b","default":"en","locales":[]}}`,
			`{"name":"a","localization":{"uri":"b","default":"en","locales":[]}}`},
		{"localization with a bad locale", `{"name":"a","localization":{"uri":"b","default":"en","locales":["fr",1]}}`, `{"name":"a"}`},
		{"localization without locales", `{"name":"a","localization":{"uri":"b","default":"en"}}`, `{"name":"a"}`},
		{"localization without default", `{"name":"a","localization":{"uri":"b","locales":["fr"]}}`, `{"name":"a"}`},
		{"localization of another kind", `{"name":"a","localization":"b"}`, `{"name":"a"}`},
	} {
		t.Run(tc.name, func(t *testing.T) { check(t, parse(t, tc.body), tc.want) })
	}
}

func TestParseError(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, tc := range []struct{ name, body, want string }{
		{"M2 array", `[{"name":"a"}]`, "want an object, got an array"},
		{"M5 and T8 no name", `{"description":"a"}`, "/name is missing"},
		{"blank", " \n\t", "want a value, got the end"},
		{"scalar", `"name"`, "want an object, got a text"},
		{"not JSON", "hello", "want a value, got 'h'"},
		{"null name", `{"name":null}`, "/name: want a text, got null"},
		{"name that is not a finite number", `{"name":NaN}`, "/name: want a text, got null"},
		{"empty name", `{"name":""}`, "/name is empty"},
		{"name of zeros", `{"name":"\u0000"}`, "/name is empty"},
		{"object as name", `{"name":{"en":"a"}}`, "/name: want a text, got an object"},
		{"array as name", `{"name":["a"]}`, "/name: want a text, got an array"},
		{"too deep", `{"name":"a","properties":{"a":` + deep + `}}`, "nested too deeply"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, err := document.Parse([]byte(tc.body))
			if err == nil {
				t.Fatalf("Parse = %s, want an error", d.Encode())
			}
			if !strings.HasPrefix(err.Error(), "document: ") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %q, want it to contain %q", err, tc.want)
			}
		})
	}
}

// D10: SIP-016 makes everything optional in a document for another locale.
func TestParseLocalised(t *testing.T) {
	for _, tc := range []struct{ name, body, want string }{
		{"D10 nothing", `{}`, `{}`},
		{"D10 no name", `{"description":"b"}`, `{"description":"b"}`},
		{"D10 name of another kind", `{"name":{"en":"a"}}`, `{}`},
		{"D10 empty name", `{"name":""}`, `{}`},
	} {
		t.Run(tc.name, func(t *testing.T) { check(t, parseLocalised(t, tc.body), tc.want) })
	}
	if d, err := document.ParseLocalised([]byte(`[]`)); err == nil {
		t.Errorf("ParseLocalised of an array = %s, want an error", d.Encode())
	}
}

func TestLocalesMax(t *testing.T) {
	locales := []string{`"en"`}
	for i := range 2 * document.LocalesMax {
		locales = append(locales, fmt.Sprintf(`"l%d"`, i))
	}
	d := parse(t, `{"name":"a","localization":{"uri":"b","default":"en","locales":[`+strings.Join(locales, ",")+`]}}`)
	got := d.Localization.Locales
	if len(got) != document.LocalesMax || got[0] != "l0" || got[document.LocalesMax-1] != fmt.Sprintf("l%d", document.LocalesMax-1) {
		t.Errorf("got %d locales, %v", len(got), got)
	}
}

// A document must not refer to its body: the body may be far larger, and may change.
func TestDocumentDoesNotReferToBody(t *testing.T) {
	body := []byte(`{"name":12345,"properties":{"abc":"def"},"attributes":[{"trait_type":67,"value":[8]}]}`)
	d := must.Get(document.Parse(body))(t)
	want := string(d.Encode())
	for i := range body {
		body[i] = 'x'
	}
	check(t, d, want)
}
