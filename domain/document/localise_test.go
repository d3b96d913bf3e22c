package document_test

import (
	"bytes"
	"reflect"
	"testing"

	"strata/domain/document"

	"pgregory.net/rapid"
)

const (
	englishBody = `{
		"name": "Mutant Monkeys 1",
		"image": "https://byzantion.mypinata.cloud/ipfs/cid/1.png",
		"attributes": [{"trait_type": "Background", "value": "MM1 Purple"}, {"trait_type": "Fur", "value": "Gold"}],
		"properties": {
			"external_url": "https://m.io/",
			"description": "Mutant Monkeys is a collection of 5,000 NFTs.",
			"colection_name": "Mutant Monkeys",
			"artist": "Chase"
		},
		"localization": {"uri": "http://m-locale.io/{id}-{locale}.json", "default": "en", "locales": ["en", "es-MX"]}
	}`
	spanishBody = `{
		"name": "Changos Mutantes 1",
		"attributes": [{"trait_type": "Fondo", "value": "MM1 Morado"}],
		"properties": {"description": "Changos Mutantes es una colección de 5,000 NFTs.", "colection_name": "Changos Mutantes"}
	}`
)

// T6 and D10: the content of a localised document does not leak into other locales.
func TestLocalise(t *testing.T) {
	english := parse(t, englishBody)
	before := string(english.Encode())
	spanish := document.Localise(english, parseLocalised(t, spanishBody))
	check(t, spanish, `{"name":"Changos Mutantes 1","image":"https://byzantion.mypinata.cloud/ipfs/cid/1.png",`+
		`"attributes":[{"trait_type":"Fondo","value":"MM1 Morado"}],`+
		`"properties":{"external_url":"https://m.io/","description":"Changos Mutantes es una colección de 5,000 NFTs.",`+
		`"colection_name":"Changos Mutantes","artist":"Chase"},`+
		`"localization":{"uri":"http://m-locale.io/{id}-{locale}.json","default":"en","locales":["es-MX"]}}`)

	french := document.Localise(english, parseLocalised(t, `{"properties":{"artist":null,"neuf":1},"localization":{"uri":"x","default":"y","locales":[]}}`))
	check(t, french, `{"name":"Mutant Monkeys 1","image":"https://byzantion.mypinata.cloud/ipfs/cid/1.png",`+
		`"properties":{"external_url":"https://m.io/","description":"Mutant Monkeys is a collection of 5,000 NFTs.",`+
		`"colection_name":"Mutant Monkeys","artist":null,"neuf":1},`+
		`"localization":{"uri":"http://m-locale.io/{id}-{locale}.json","default":"en","locales":["es-MX"]}}`)
	check(t, english, before)
}

// T7: a document has no content of the document that was parsed before it.
func TestParseKeepsNoState(t *testing.T) {
	parse(t, englishBody)
	check(t, parse(t, `{"name":"b","attributes":[{"trait_type":"c","value":1}],"properties":{"d":2}}`),
		`{"name":"b","attributes":[{"trait_type":"c","value":1}],"properties":{"d":2}}`)
}

func TestLocaliseDoesNotChangeItsArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, other := anyDocument().Draw(t, "base"), anyDocument().Draw(t, "other")
		baseBefore, otherBefore := base.Encode(), other.Encode()
		localised := document.Localise(base, other)
		if !reflect.DeepEqual(localised.Attributes, other.Attributes) {
			t.Fatalf("attributes %+v, want those of the locale, %+v", localised.Attributes, other.Attributes)
		}
		if _, err := document.Decode(localised.Encode()); err != nil {
			t.Fatalf("Decode(%s): %v", localised.Encode(), err)
		}
		scribble(localised)
		if b := base.Encode(); !bytes.Equal(b, baseBefore) {
			t.Fatalf("base became %s, was %s", b, baseBefore)
		}
		if b := other.Encode(); !bytes.Equal(b, otherBefore) {
			t.Fatalf("other became %s, was %s", b, otherBefore)
		}
	})
}

// scribble overwrites all memory to which a document points.
func scribble(d *document.Document) {
	for _, text := range []*string{d.Name, d.Description, d.Image} {
		if text != nil {
			*text = "scribbled"
		}
	}
	for i, a := range d.Attributes {
		if a.DisplayType != nil {
			*a.DisplayType = "scribbled"
		}
		overwrite(a.Value)
		d.Attributes[i] = document.Attribute{}
	}
	for i, p := range d.Properties {
		overwrite(p.Value)
		d.Properties[i] = document.Property{}
	}
	if d.Localization != nil {
		clear(d.Localization.Locales)
		*d.Localization = document.Localization{}
	}
}

func overwrite(b []byte) {
	for i := range b {
		b[i] = 'x'
	}
}
