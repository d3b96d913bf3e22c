package document

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// readStored decodes a document in one pass, which is possible because Encode writes one form only. ok is false for any
// other form.
func readStored(b []byte) (d *Document, ok bool) {
	if !utf8.Valid(b) {
		return nil, false
	}
	r := &storedReader{storedScanner{text: string(b)}, bytes.Clone(b)}
	d = r.document()
	return d, !r.invalid && r.at == len(r.text)
}

// storedReader reads the parts of a stored document. Its results are parts of its two copies of the document, one for
// texts and one for values.
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
		d.Name = r.nonEmptyText()
	}
	if member(`"description":`) {
		description := r.quoted()
		d.Description = &description
	}
	if member(`"image":`) {
		d.Image = r.nonEmptyText()
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

// next consumes prefix, the beginning of a member or an item, if it is next. begin is the position of the first member
// or item; a comma must precede each other one.
func (r *storedReader) next(begin int, prefix string) bool {
	before := r.at
	if before > begin && !r.take(`,`) || !r.take(prefix) {
		r.at = before
		return false
	}
	return true
}

// nonEmptyText reads a text that must not be empty.
func (r *storedReader) nonEmptyText() *string {
	text := r.quoted()
	r.invalid = r.invalid || text == ""
	return &text
}

func (r *storedReader) attributes() (attributes []Attribute) {
	r.want(`[`)
	for begin := r.at; r.next(begin, `{"trait_type":`); {
		a := Attribute{TraitType: *r.nonEmptyText()}
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
	r.invalid = r.invalid || len(attributes) == 0
	return attributes
}

func (r *storedReader) properties() (properties []Property) {
	r.want(`{`)
	names := r.enterObject()
	for !r.invalid {
		name := r.name(&names)
		properties = append(properties, Property{name, r.value()})
		if r.take(`}`) {
			break
		}
		r.want(`,`)
	}
	r.leaveObject(names)
	return properties
}

func (r *storedReader) localization() *Localization {
	l := &Localization{}
	r.want(`{"uri":`)
	l.URI = *r.nonEmptyText()
	r.want(`,"default":`)
	l.Default = *r.nonEmptyText()
	r.want(`,"locales":[`)
	seen := map[string]bool{l.Default: true}
	for !r.is(']') && !r.invalid {
		if len(l.Locales) > 0 {
			r.want(`,`)
		}
		locale := *r.nonEmptyText()
		r.invalid = r.invalid || seen[locale] || len(l.Locales) == LocalesMax
		seen[locale] = true
		l.Locales = append(l.Locales, locale)
	}
	r.want(`]}`)
	return l
}

// value reads any value. Its capacity ends with it, so that an append does not overwrite the bytes of the next value.
func (r *storedReader) value() json.RawMessage {
	begin := r.at
	r.skipValue(depthMax)
	return r.raw[begin:r.at:r.at]
}
