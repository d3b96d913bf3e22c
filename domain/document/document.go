package document

import "encoding/json"

// Document is what a SIP-016 document says, in one language. Its texts are UTF-8 without U+0000; its values are JSON
// without white space, in the one form that equal values have.
//
// The methods of a Document, and the functions that take one, leave it unchanged and share nothing with what they return.
type Document struct {
	// Name is present, and not empty, in a token's own document; nil where a localised document does not give it.
	Name        *string
	Description *string
	// Image is a URI of any scheme as the document has it; never empty.
	Image *string
	// Attributes in the order of the document; nil when there are none.
	Attributes []Attribute
	// Properties in the order of the document, no two with the same name; nil when there are none.
	Properties []Property
	// Localization is nil unless the document tells where it can be had in other languages.
	Localization *Localization
}

// Attribute is a trait of a token.
type Attribute struct {
	// TraitType is never empty.
	TraitType string
	// DisplayType is nil when the document has none.
	DisplayType *string
	// Value is any JSON value, also null.
	Value json.RawMessage
}

// Property is a fact of a token.
type Property struct {
	Name string
	// Value is any JSON value, also null.
	Value json.RawMessage
}

// Localization says in which languages a document can be had.
type Localization struct {
	// URI of the other documents, with {id} and {locale} in it; never empty.
	URI string
	// Default is the locale of the document itself; never empty.
	Default string
	// Locales are the others, without Default: LocalesMax at most, none empty, none twice.
	Locales []string
}

// LocalesMax is how many locales of a document are read, besides its own. The rest is left out.
const LocalesMax = 50
