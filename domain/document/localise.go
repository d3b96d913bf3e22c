package document

import "bytes"

// Localise completes a document for another locale from base, the token's own document. It takes the name, the
// description and the image from base if other has none, and each property that other does not have. It never takes
// attributes from base. The localization is the same for all locales, so it is always that of base.
func Localise(base, other *Document) *Document {
	return &Document{
		Name:         firstText(other.Name, base.Name),
		Description:  firstText(other.Description, base.Description),
		Image:        firstText(other.Image, base.Image),
		Attributes:   copyAttributes(other.Attributes),
		Properties:   overlay(base.Properties, other.Properties),
		Localization: base.Localization.copy(),
	}
}

// firstText returns a copy of the first text that is not nil.
func firstText(texts ...*string) *string {
	for _, text := range texts {
		if text != nil {
			text := *text
			return &text
		}
	}
	return nil
}

func copyAttributes(attributes []Attribute) []Attribute {
	var copies []Attribute
	for _, a := range attributes {
		copies = append(copies, Attribute{a.TraitType, firstText(a.DisplayType), bytes.Clone(a.Value)})
	}
	return copies
}

// overlay returns the properties of base with the values of over, and then the properties that only over has.
func overlay(base, over []Property) []Property {
	var properties []Property
	index := make(map[string]int, len(base))
	for _, list := range [][]Property{base, over} {
		for _, p := range list {
			value := bytes.Clone(p.Value)
			if i, ok := index[p.Name]; ok {
				properties[i].Value = value
				continue
			}
			index[p.Name] = len(properties)
			properties = append(properties, Property{p.Name, value})
		}
	}
	return properties
}

func (l *Localization) copy() *Localization {
	if l == nil {
		return nil
	}
	return &Localization{URI: l.URI, Default: l.Default, Locales: append([]string(nil), l.Locales...)}
}
