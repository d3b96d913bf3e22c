package document

import "bytes"

// Localise is a document for another locale, filled up from the token's own: name, description and image where it has
// none; properties laid over those of base, one by one. Attributes never pass from one to the other. Localization is
// that of base, the same for every locale.
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

// firstText is a copy of the first that is present.
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

// overlay keeps the order of base, and appends what only over has.
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
