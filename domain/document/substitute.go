package document

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// placeholder is what stands for a token's id or a locale: {id} and {locale} of SIP-016, and $TOKEN_ID, which is no
// standard but in use.
var placeholder = regexp.MustCompile(`(?i)\{id\}|\{locale\}|\$TOKEN_ID`)

// mayHold is false for most texts without a placeholder, and much quicker than to look for one. In a value, where letters
// and these signs are never escaped, an object does not look like a placeholder: its names have quotes.
func mayHold[T ~string | ~[]byte](text T) bool {
	const lower = 'a' - 'A'
	for i := range len(text) - 1 {
		switch text[i] {
		case '{':
			if c := text[i+1] | lower; c == 'i' || c == 'l' {
				return true
			}
		case '$':
			if text[i+1]|lower == 't' {
				return true
			}
		}
	}
	return false
}

// SubstituteURI fills in the id, decimal, and the locale, which may be empty, in a URI. Placeholders count in any case.
// What is filled in is not looked at again.
func SubstituteURI(uri, id, locale string) string {
	return placeholder.ReplaceAllStringFunc(uri, func(found string) string {
		if strings.EqualFold(found, "{locale}") {
			return locale
		}
		return id
	})
}

// Substitute fills in the token's id, decimal and without padding, in every text of the document, at any depth. It
// leaves alone the names of members, the locales, and {locale}, which stands for each of them in turn.
func (d *Document) Substitute(id string) *Document {
	fill := func(text string) string {
		if !mayHold(text) {
			return text
		}
		return placeholder.ReplaceAllStringFunc(text, func(found string) string {
			if strings.EqualFold(found, "{locale}") {
				return found
			}
			return id
		})
	}
	fillPresent := func(text *string) *string {
		if text == nil {
			return nil
		}
		filled := fill(*text)
		return &filled
	}
	fillValue := func(value json.RawMessage) json.RawMessage {
		if !mayHold(value) {
			return bytes.Clone(value)
		}
		return valueTree(value).MapText(fill).Append(nil)
	}

	filled := &Document{
		Name:         fillPresent(d.Name),
		Description:  fillPresent(d.Description),
		Image:        fillPresent(d.Image),
		Localization: d.Localization.copy(),
	}
	for _, a := range d.Attributes {
		filled.Attributes = append(filled.Attributes,
			Attribute{fill(a.TraitType), fillPresent(a.DisplayType), fillValue(a.Value)})
	}
	for _, p := range d.Properties {
		filled.Properties = append(filled.Properties, Property{p.Name, fillValue(p.Value)})
	}
	if filled.Localization != nil {
		filled.Localization.URI = fill(filled.Localization.URI)
	}
	return filled
}
