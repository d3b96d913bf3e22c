package document_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"strata/domain/document"
	"strata/internal/testkit/must"

	"pgregory.net/rapid"
)

// anyText generates texts without U+0000, which no document has.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[^\x00]{0,8}`),
		rapid.SampledFrom([]string{"", "{id}", "a{ID}b", "$TOKEN_ID", "{locale}", "{i{id}d}", `"\`, "\u2028", "😀", "<&>", "\x7f\x01"}),
	)
}

func anyPresentText() *rapid.Generator[string] {
	return anyText().Filter(func(s string) bool { return s != "" })
}

// anyValue generates JSON in the canonical form.
func anyValue(depth int) *rapid.Generator[json.RawMessage] {
	return rapid.Custom(func(t *rapid.T) json.RawMessage {
		kinds := 3
		if depth > 0 {
			kinds = 5
		}
		raw := func(body string) json.RawMessage { return json.RawMessage(body) }
		switch rapid.IntRange(1, kinds).Draw(t, "kind") {
		case 1:
			return raw(rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word"))
		case 2:
			return raw(rapid.StringMatching(`-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,4})?(e-?[0-9]{1,2})?`).Draw(t, "number"))
		case 3:
			return canonical(t, rapid.Map(anyText(), quote).Draw(t, "text"))
		case 4:
			body := "["
			for i, item := range rapid.SliceOfN(anyValue(depth-1), 0, 3).Draw(t, "items") {
				if i > 0 {
					body += ","
				}
				body += string(item)
			}
			return raw(body + "]")
		}
		body := "{"
		for i, name := range rapid.SliceOfNDistinct(anyText(), 0, 3, rapid.ID[string]).Draw(t, "names") {
			if i > 0 {
				body += ","
			}
			body += string(canonical(t, quote(name))) + ":" + string(anyValue(depth-1).Draw(t, "member"))
		}
		return raw(body + "}")
	})
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // cannot happen: JSON can express any string
	}
	return string(b)
}

// canonical returns the canonical form of a JSON value.
func canonical(t *rapid.T, value string) json.RawMessage {
	d := must.Get(document.Parse([]byte(`{"name":"a","properties":{"p":` + value + `}}`)))(t)
	return d.Properties[0].Value
}

func anyDocument() *rapid.Generator[*document.Document] {
	return rapid.Custom(func(t *rapid.T) *document.Document {
		d := &document.Document{
			Name:        rapid.Ptr(anyPresentText(), true).Draw(t, "name"),
			Description: rapid.Ptr(anyText(), true).Draw(t, "description"),
			Image:       rapid.Ptr(anyPresentText(), true).Draw(t, "image"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "attributes") {
			d.Attributes = append(d.Attributes, document.Attribute{
				TraitType:   anyPresentText().Draw(t, "trait type"),
				DisplayType: rapid.Ptr(anyText(), true).Draw(t, "display type"),
				Value:       anyValue(2).Draw(t, "value"),
			})
		}
		for _, name := range rapid.SliceOfNDistinct(anyText(), 0, 4, rapid.ID[string]).Draw(t, "properties") {
			d.Properties = append(d.Properties, document.Property{Name: name, Value: anyValue(2).Draw(t, "value")})
		}
		if rapid.Bool().Draw(t, "localised") {
			d.Localization = &document.Localization{URI: anyPresentText().Draw(t, "uri"), Default: "en"}
			for _, locale := range rapid.SliceOfNDistinct(anyPresentText(), 0, 3, rapid.ID[string]).Draw(t, "locales") {
				if locale != "en" {
					d.Localization.Locales = append(d.Localization.Locales, locale)
				}
			}
		}
		return d
	})
}

func TestEncodeDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDocument().Draw(t, "document")
		b := d.Encode()
		if !json.Valid(b) {
			t.Fatalf("Encode = %s, which is not JSON", b)
		}
		got, err := document.Decode(b)
		if err != nil {
			t.Fatalf("Decode(%s): %v", b, err)
		}
		if !reflect.DeepEqual(got, d) {
			t.Fatalf("Decode(%s) = %+v, want %+v", b, got, d)
		}
		// An encoded document with an image parses as itself. Without an image, Parse may find one under another name.
		if d.Image != nil {
			parsed, err := document.ParseLocalised(b)
			if err != nil || !reflect.DeepEqual(parsed, d) {
				t.Fatalf("ParseLocalised(%s) = %+v, %v, want %+v", b, parsed, err, d)
			}
		}
	})
}

func TestEncode(t *testing.T) {
	for _, tc := range []struct {
		name string
		d    document.Document
		want string
	}{
		{"nothing", document.Document{}, `{}`},
		{"empty lists", document.Document{Attributes: []document.Attribute{}, Properties: []document.Property{}}, `{}`},
		{"values that are not JSON", document.Document{
			Properties: []document.Property{{"a", nil}, {"b", json.RawMessage("{x")}, {"c", json.RawMessage("'d'")}},
		}, `{"properties":{"a":null,"b":null,"c":null}}`},
		{"values of another form", document.Document{
			Properties: []document.Property{{"a", json.RawMessage(` [ 1, "\u0061\/" ] `)}},
		}, `{"properties":{"a":[1,"a/"]}}`},
	} {
		t.Run(tc.name, func(t *testing.T) { check(t, &tc.d, tc.want) })
	}
}

func TestDecodeError(t *testing.T) {
	for _, body := range []string{
		``, `[]`, `null`, `{name:"a"}`, `{"name":"a"} `, `{"name":5}`, `{"name":""}`, `{"image":"a","name":"b"}`, `{"other":1}`,
		`{"image_url":"a"}`, `{"properties":{}}`, `{"properties":[]}`, `{"attributes":[{"trait_type":"a"}]}`,
		`{"localization":{"uri":"a","default":"en","locales":["en"]}}`, `{"properties":{"a":1,"a":2}}`,
	} {
		if d, err := document.Decode([]byte(body)); err == nil {
			t.Errorf("Decode(%s) = %+v, want an error", body, d)
		}
	}
}

// The deepest document that Parse accepts can also be encoded and decoded.
func TestDepth(t *testing.T) {
	deepest := 0
	for depth := 1; ; depth++ {
		value := ""
		for range depth {
			value = "[" + value + "]"
		}
		d, err := document.Parse([]byte(`{"name":"a","attributes":[{"trait_type":"b","value":` + value + `}]}`))
		if err != nil {
			break
		}
		deepest = depth
		if got, err := document.Decode(d.Substitute("1").Encode()); err != nil || string(got.Attributes[0].Value) != value {
			t.Fatalf("depth %d: %v", depth, err)
		}
	}
	if deepest < 50 {
		t.Errorf("Parse accepts at most %d levels, want 50 or more", deepest)
	}
}
