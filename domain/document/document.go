package document

import "encoding/json"

// Document is the content of a SIP-016 document in one language. Its texts are UTF-8 without U+0000. Its values are
// JSON in a canonical form without white space: equal values have equal bytes.
//
// The methods of a Document, and the functions that take one, do not change it, and their results share no memory with
// it.
type Document struct {
	// Name is never empty. It is present in a token's own document, and may be nil in a localised document.
	Name        *string
	Description *string
	// Image is a URI of any scheme, as the document has it, or a data URI of the SVG that it has instead; never empty.
	Image *string
	// Attributes are in the order of the document; nil for none.
	Attributes []Attribute
	// Properties are in the order of the document and have different names; nil for none.
	Properties []Property
	// Localization is nil if the document exists in one language only.
	Localization *Localization
}

// Attribute is a trait of a token.
type Attribute struct {
	// TraitType is never empty.
	TraitType string
	// DisplayType is nil if the document has none.
	DisplayType *string
	// Value is any JSON value, including null.
	Value json.RawMessage
}

// Property is a named fact about a token.
type Property struct {
	Name string
	// Value is any JSON value, including null.
	Value json.RawMessage
}

// Localization says in which languages a document exists.
type Localization struct {
	// URI of the documents in other languages, with the placeholders {id} and {locale}; never empty.
	URI string
	// Default is the locale of the document itself; never empty.
	Default string
	// Locales are the other locales: at most LocalesMax, not empty, each once, without Default.
	Locales []string
}

// LocalesMax is the maximum number of locales of a document, besides its own. Further locales are ignored.
const LocalesMax = 50
