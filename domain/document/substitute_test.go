package document_test

import (
	"bytes"
	"strings"
	"testing"

	"strata/domain/document"

	"pgregory.net/rapid"
)

// M9
func TestSubstituteURI(t *testing.T) {
	for _, tc := range []struct{ name, uri, locale, want string }{
		{"M9 $TOKEN_ID", "https://ipfs.io/ipfs/cid/$TOKEN_ID.json", "", "https://ipfs.io/ipfs/cid/7.json"},
		{"M9 {id}", "https://ipfs.io/ipfs/cid/{id}.json", "", "https://ipfs.io/ipfs/cid/7.json"},
		{"M9 {id} and {locale}", "https://ipfs.io/ipfs/cid/{id}-{locale}.json", "es", "https://ipfs.io/ipfs/cid/7-es.json"},
		{"no locale", "a/{id}-{locale}.json", "", "a/7-.json"},
		{"any case, all of them", "{ID}{Id}$token_id{LOCALE}{Locale}", "es", "777eses"},
		{"a placeholder in the locale stays", "{locale}", "{id}", "{id}"},
		{"no placeholder", "{ids}{ id }$TOKENID", "es", "{ids}{ id }$TOKENID"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := document.SubstituteURI(tc.uri, "7", tc.locale); got != tc.want {
				t.Errorf("SubstituteURI(%q, 7, %q) = %q, want %q", tc.uri, tc.locale, got, tc.want)
			}
		})
	}
}

// D18: clients must also replace the placeholder of the id within the document (SIP-016).
func TestSubstitute(t *testing.T) {
	d := parse(t, `{"name":"Foo #{id}","description":"{ID} of $TOKEN_ID","image":"ipfs://cid/$token_id.png",
		"attributes":[{"trait_type":"No. {id}","display_type":"{id}","value":["{id}",{"{id}":"\u007bid}"},5,null]}],
		"properties":{"{id}":"{id}","deep":{"a":[{"b":"x{id}y"}]},"n":1},
		"localization":{"uri":"http://m.io/{id}-{locale}.json","default":"en","locales":["{id}"]}}`)
	before := string(d.Encode())
	check(t, d.Substitute("42"), `{"name":"Foo #42","description":"42 of 42","image":"ipfs://cid/42.png",`+
		`"attributes":[{"trait_type":"No. 42","display_type":"42","value":["42",{"{id}":"42"},5,null]}],`+
		`"properties":{"{id}":"42","deep":{"a":[{"b":"x42y"}]},"n":1},`+
		`"localization":{"uri":"http://m.io/42-{locale}.json","default":"en","locales":["{id}"]}}`)
	check(t, d, before)
}

// The fast check of mayHavePlaceholder never misses a placeholder.
func TestSubstituteFindsEveryPlaceholder(t *testing.T) {
	word := rapid.SampledFrom([]string{"{", "}", "$", "id", "ID", "locale", "LOCALE", "TOKEN_ID", "TO\u212aEN_ID", "token_\u0131d", "\u0130d", `\`, `"`, "a"})
	text := rapid.Map(rapid.SliceOfN(word, 0, 6), func(words []string) string { return strings.Join(words, "") })
	rapid.Check(t, func(t *rapid.T) {
		d := anyDocument().Draw(t, "document")
		name := "a" + text.Draw(t, "text")
		d.Name = &name
		d.Properties = append(d.Properties, document.Property{Name: "another", Value: canonical(t, quote(text.Draw(t, "value")))})
		filled := d.Substitute("7")
		if want := document.FillText(name, "7"); *filled.Name != want {
			t.Fatalf("%q became %q, want %q", name, *filled.Name, want)
		}
		for i, p := range d.Properties {
			if got, want := filled.Properties[i].Value, document.FillValue(p.Value, "7"); !bytes.Equal(got, want) {
				t.Fatalf("%s became %s, want %s", p.Value, got, want)
			}
		}
	})
}

func TestSubstituteTwiceIsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDocument().Draw(t, "document")
		id := rapid.StringMatching(`0|[1-9][0-9]{0,38}`).Draw(t, "id")
		before := d.Encode()
		filled := d.Substitute(id)
		once := filled.Encode()
		if twice := filled.Substitute(id).Encode(); !bytes.Equal(twice, once) {
			t.Fatalf("once %s, twice %s", once, twice)
		}
		if !bytes.ContainsAny(before, "{}$") && !bytes.Equal(once, before) {
			t.Fatalf("%s has no placeholder, and became %s", before, once)
		}
		if filled.Description != nil && strings.Contains(strings.ToLower(*filled.Description), "{id}") {
			t.Fatalf("a placeholder is left in %q", *filled.Description)
		}
		scribble(filled)
		if after := d.Encode(); !bytes.Equal(after, before) {
			t.Fatalf("the document became %s, was %s", after, before)
		}
	})
}
