package document

import (
	"errors"
	"fmt"
	"strings"

	"strata/domain/document/internal/json5"
)

// depthMax is how many arrays and objects of a document may be nested. It is far more than documents have, and far less
// than Postgres or any client stumbles over.
const depthMax = 100

// Parse reads a token's own document: JSON5, an object with a name. It is an error when that can't be read, or the name
// is missing, null, empty, an array or an object.
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

// ParseLocalised reads a document for another locale, where everything is optional: [Localise] fills it up from the
// token's own. It is an error when the body is not a JSON5 object.
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

// scalar is the text of a member that is a text, a number or a boolean, nil for anything else.
func scalar(of json5.Value, name string) *string {
	member, _ := of.Member(name)
	text, ok := member.Scalar()
	if !ok {
		return nil
	}
	text = strings.Clone(text) // numbers are part of the body, which need not stay in memory for them
	return &text
}

func nonEmpty(text *string) *string {
	if text != nil && *text == "" {
		return nil
	}
	return text
}

// text is that of a member that is a text, empty for anything else.
func text(of json5.Value, name string) string {
	member, _ := of.Member(name)
	if member.Kind != json5.String {
		return ""
	}
	return member.Text
}

// image is the first that says anything: SIP-016 has image and then image_data, the others are found in the wild.
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
			return &uri
		}
	}
	return nil
}

// attributes are those that have a trait_type and a value; one that does not is left out alone.
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

// localization is nil when any part of it is not what it should be.
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
