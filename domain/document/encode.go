package document

import (
	"encoding/json"

	"strata/domain/document/internal/json5"
)

// envelopeDepth is the number of levels of nesting around the values in an encoded document.
const envelopeDepth = 3

// Encode returns the document as one line of JSON, for [Decode]. Equal documents have equal bytes. The order of the
// properties is the order of the members of an object, which a Postgres column of type json or text keeps, and jsonb
// does not. Encode writes a value that is not JSON as null; Parse and Decode never return such a value.
func (d *Document) Encode() []byte {
	root := json5.Value{Kind: json5.Object}
	add := func(name string, v json5.Value) { root.Items = append(root.Items, v.Named(name)) }
	addText := func(name string, text *string) {
		if text != nil {
			add(name, json5.Text(*text))
		}
	}
	addText("name", d.Name)
	addText("description", d.Description)
	addText("image", d.Image)
	if len(d.Attributes) > 0 {
		list := json5.Value{Kind: json5.Array}
		for _, a := range d.Attributes {
			list.Items = append(list.Items, a.tree())
		}
		add("attributes", list)
	}
	if len(d.Properties) > 0 {
		object := json5.Value{Kind: json5.Object}
		for _, p := range d.Properties {
			object.Items = append(object.Items, valueTree(p.Value).Named(p.Name))
		}
		add("properties", object)
	}
	if d.Localization != nil {
		add("localization", d.Localization.tree())
	}
	return root.Append(nil)
}

func (a Attribute) tree() json5.Value {
	v := json5.Value{Kind: json5.Object, Items: []json5.Value{json5.Text(a.TraitType).Named("trait_type")}}
	if a.DisplayType != nil {
		v.Items = append(v.Items, json5.Text(*a.DisplayType).Named("display_type"))
	}
	v.Items = append(v.Items, valueTree(a.Value).Named("value"))
	return v
}

func (l *Localization) tree() json5.Value {
	locales := json5.Value{Kind: json5.Array}
	for _, locale := range l.Locales {
		locales.Items = append(locales.Items, json5.Text(locale))
	}
	return json5.Value{Kind: json5.Object, Items: []json5.Value{
		json5.Text(l.URI).Named("uri"),
		json5.Text(l.Default).Named("default"),
		locales.Named("locales"),
	}}
}

// valueTree parses a value; null if it is not JSON.
func valueTree(raw json.RawMessage) json5.Value {
	if !json.Valid(raw) {
		return json5.Value{}
	}
	v, err := json5.Read(raw, depthMax)
	if err != nil { // the value is nested too deeply
		return json5.Value{}
	}
	return v
}
