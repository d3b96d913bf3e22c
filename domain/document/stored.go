package document

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// readStored reads a document in one pass over the one form that Encode gives it. ok is false for anything else.
func readStored(b []byte) (d *Document, ok bool) {
	if !utf8.Valid(b) {
		return nil, false
	}
	r := &storedReader{storedScanner{text: string(b)}, bytes.Clone(b)}
	d = r.document()
	return d, !r.wrong && r.at == len(r.text)
}

// storedReader reads the parts of a stored document. What it gives are parts of the two copies that it has of it.
type storedReader struct {
	storedScanner
	raw []byte
}

func (r *storedReader) document() *Document {
	d := &Document{}
	r.want(`{`)
	begin := r.at
	member := func(name string) bool { return r.next(begin, name) }
	if member(`"name":`) {
		d.Name = r.present()
	}
	if member(`"description":`) {
		description := r.quoted()
		d.Description = &description
	}
	if member(`"image":`) {
		d.Image = r.present()
	}
	if member(`"attributes":`) {
		d.Attributes = r.attributes()
	}
	if member(`"properties":`) {
		d.Properties = r.properties()
	}
	if member(`"localization":`) {
		d.Localization = r.localization()
	}
	r.want(`}`)
	return d
}

// next passes what begins a member or an item, with a comma before all but the first, which is where the list begins.
func (r *storedReader) next(begin int, what string) bool {
	at := r.at
	if at > begin && !r.take(`,`) || !r.take(what) {
		r.at = at
		return false
	}
	return true
}

// present reads a text that may not be empty.
func (r *storedReader) present() *string {
	text := r.quoted()
	r.wrong = r.wrong || text == ""
	return &text
}

func (r *storedReader) attributes() (attributes []Attribute) {
	r.want(`[`)
	for begin := r.at; r.next(begin, `{"trait_type":`); {
		a := Attribute{TraitType: *r.present()}
		if r.take(`,"display_type":`) {
			displayType := r.quoted()
			a.DisplayType = &displayType
		}
		r.want(`,"value":`)
		a.Value = r.value()
		r.want(`}`)
		attributes = append(attributes, a)
	}
	r.want(`]`)
	r.wrong = r.wrong || len(attributes) == 0
	return attributes
}

func (r *storedReader) properties() (properties []Property) {
	r.want(`{`)
	names := r.names()
	for !r.wrong {
		name := r.name(&names)
		properties = append(properties, Property{name, r.value()})
		if r.take(`}`) {
			break
		}
		r.want(`,`)
	}
	r.forget(names)
	return properties
}

func (r *storedReader) localization() *Localization {
	l := &Localization{}
	r.want(`{"uri":`)
	l.URI = *r.present()
	r.want(`,"default":`)
	l.Default = *r.present()
	r.want(`,"locales":[`)
	seen := map[string]bool{l.Default: true}
	for !r.is(']') && !r.wrong {
		if len(l.Locales) > 0 {
			r.want(`,`)
		}
		locale := *r.present()
		r.wrong = r.wrong || seen[locale] || len(l.Locales) == LocalesMax
		seen[locale] = true
		l.Locales = append(l.Locales, locale)
	}
	r.want(`]}`)
	return l
}

// value reads any value. Nothing can be appended to it where the next one stands.
func (r *storedReader) value() json.RawMessage {
	begin := r.at
	r.skipValue(depthMax)
	return r.raw[begin:r.at:r.at]
}
