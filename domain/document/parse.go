package document

import (
	"errors"
	"fmt"
	"strings"

	"strata/domain/document/internal/json5"
)

// depthMax is the maximum number of nested arrays and objects in a document. It is far more than documents have, and
// far less than the limits of Postgres or any client.
const depthMax = 100

// Parse parses a token's own document: a JSON5 object with a name. It returns an error if the body is not a JSON5
// object, or if the name is missing, null, empty, an array or an object.
func Parse(body []byte) (*Document, error) {
	root, err := readRoot(body)
	if err != nil {
		return nil, err
	}
	d := fromRoot(root)
	if d.Name == nil {
		name, ok := root.Member("name")
		switch {
		case !ok:
			return nil, errors.New("document: /name is missing")
		case name.Kind == json5.String:
			return nil, errors.New("document: /name is empty")
		}
		return nil, fmt.Errorf("document: /name: want a text, got %s", name.Kind)
	}
	return d, nil
}

// ParseLocalised parses a document for another locale. All its members are optional: [Localise] takes missing ones from
// the token's own document. ParseLocalised returns an error if the body is not a JSON5 object.
func ParseLocalised(body []byte) (*Document, error) {
	root, err := readRoot(body)
	if err != nil {
		return nil, err
	}
	return fromRoot(root), nil
}

func readRoot(body []byte) (json5.Value, error) {
	root, err := json5.Read(body, depthMax)
	if err != nil {
		return json5.Value{}, fmt.Errorf("document: %w", err)
	}
	if root.Kind != json5.Object {
		return json5.Value{}, fmt.Errorf("document: want an object, got %s", root.Kind)
	}
	return root, nil
}

func fromRoot(root json5.Value) *Document {
	return &Document{
		Name:         nonEmpty(scalar(root, "name")),
		Description:  scalar(root, "description"),
		Image:        image(root),
		Attributes:   attributes(root),
		Properties:   properties(root),
		Localization: localization(root),
	}
}

// scalar returns the text of a member that is a text, a number or a boolean; nil for anything else.
func scalar(object json5.Value, name string) *string {
	member, _ := object.Member(name)
	text, ok := member.Scalar()
	if !ok {
		return nil
	}
	text = strings.Clone(text) // the text of a number is a part of the body and would keep the body in memory
	return &text
}

func nonEmpty(text *string) *string {
	if text != nil && *text == "" {
		return nil
	}
	return text
}

// text returns the text of a member that is a text; empty for anything else.
func text(object json5.Value, name string) string {
	member, _ := object.Member(name)
	if member.Kind != json5.String {
		return ""
	}
	return member.Text
}

// image returns the first image URI that is not empty. SIP-016 defines image and image_data. Existing documents also
// use the other names, and some have an SVG instead of a URI.
func image(root json5.Value) *string {
	properties, _ := root.Member("properties")
	for _, uri := range []string{
		text(root, "image"),
		text(root, "imageUrl"),
		text(root, "image_url"),
		text(root, "image_uri"),
		text(root, "image_canonical_uri"),
		text(properties, "image_data"),
		text(root, "image_data"),
	} {
		if uri != "" {
			if isSVG(uri) {
				uri = svgURI(uri)
			}
			return &uri
		}
	}
	return nil
}

// attributes returns the attributes that have a trait_type and a value, and leaves out the others.
func attributes(root json5.Value) []Attribute {
	list, _ := root.Member("attributes")
	if list.Kind != json5.Array {
		return nil
	}
	var attributes []Attribute
	for _, item := range list.Items {
		if a, ok := attribute(item); ok {
			attributes = append(attributes, a)
		}
	}
	return attributes
}

func attribute(item json5.Value) (a Attribute, ok bool) {
	traitType, _ := item.Member("trait_type")
	if traitType.Kind != json5.String && traitType.Kind != json5.Number || traitType.Text == "" {
		return a, false
	}
	value, ok := item.Member("value")
	if !ok {
		return a, false
	}
	a = Attribute{TraitType: strings.Clone(traitType.Text), Value: value.Append(nil)}
	switch displayType, _ := item.Member("display_type"); displayType.Kind {
	case json5.Null:
	case json5.String:
		a.DisplayType = &displayType.Text
	default:
		return a, false
	}
	return a, true
}

func properties(root json5.Value) []Property {
	object, _ := root.Member("properties")
	if object.Kind != json5.Object {
		return nil
	}
	var properties []Property
	for _, member := range object.Items {
		properties = append(properties, Property{Name: strings.Clone(member.Name), Value: member.Append(nil)})
	}
	return properties
}

// localization returns nil if any part of the localization is invalid.
func localization(root json5.Value) *Localization {
	object, _ := root.Member("localization")
	l := &Localization{URI: text(object, "uri"), Default: text(object, "default")}
	list, _ := object.Member("locales")
	if l.URI == "" || l.Default == "" || list.Kind != json5.Array {
		return nil
	}
	seen := map[string]bool{"": true, l.Default: true}
	for _, item := range list.Items {
		if item.Kind != json5.String {
			return nil
		}
		if !seen[item.Text] && len(l.Locales) < LocalesMax {
			seen[item.Text] = true
			l.Locales = append(l.Locales, item.Text)
		}
	}
	return l
}
