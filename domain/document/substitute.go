package document

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// placeholder matches the placeholders of a token's id and of a locale: {id} and {locale} of SIP-016, and $TOKEN_ID,
// which is not in the standard but in use.
var placeholder = regexp.MustCompile(`(?i)\{id\}|\{locale\}|\$TOKEN_ID`)

// mayHavePlaceholder is a fast check that excludes most texts without a placeholder. It also works for JSON values,
// which never escape letters and these signs. An object in a value does not look like a placeholder, because its names
// have quotes.
func mayHavePlaceholder[T ~string | ~[]byte](text T) bool {
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

// SubstituteURI replaces the placeholders in a URI by the decimal id and the locale, which may be empty. Placeholders
// are case-insensitive. SubstituteURI does not replace placeholders in the id or the locale.
func SubstituteURI(uri, id, locale string) string {
	return placeholder.ReplaceAllStringFunc(uri, func(match string) string {
		if strings.EqualFold(match, "{locale}") {
			return locale
		}
		return id
	})
}

// Substitute returns the document with the token's id, decimal and without padding, in place of its placeholders, in
// every text at any depth. It does not change the names of members, the locales, and {locale}, which stays for each
// locale in turn.
func (d *Document) Substitute(id string) *Document {
	fill := func(text string) string {
		if !mayHavePlaceholder(text) {
			return text
		}
		return placeholder.ReplaceAllStringFunc(text, func(match string) string {
			if strings.EqualFold(match, "{locale}") {
				return match
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
		if !mayHavePlaceholder(value) {
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
