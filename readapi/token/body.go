package token

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/document"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// sip016 is the number of the standard of metadata (SIP-016).
const sip016 = 16

// tokenMetadata is the content of a token's document. Fields that the document lacks are absent.
type tokenMetadata struct {
	SIP                  int                `json:"sip" doc:"Always 16."`
	Name                 string             `json:"name,omitempty"`
	Description          string             `json:"description,omitempty"`
	Image                string             `json:"image,omitempty" doc:"The URI in the document, of any scheme."`
	CachedImage          string             `json:"cached_image,omitempty"`
	CachedThumbnailImage string             `json:"cached_thumbnail_image,omitempty"`
	Attributes           []tokenAttribute   `json:"attributes,omitempty" nullable:"false"`
	Properties           tokenProperties    `json:"properties,omitempty"`
	Localization         *tokenLocalization `json:"localization,omitempty"`
}

type tokenAttribute struct {
	TraitType   string          `json:"trait_type"`
	Value       json.RawMessage `json:"value" doc:"Any JSON value, as the document has it."`
	DisplayType *string         `json:"display_type,omitempty"`
}

type tokenLocalization struct {
	URI     string   `json:"uri"`
	Default string   `json:"default"`
	Locales []string `json:"locales" nullable:"false" doc:"All locales, the default one first."`
}

// tokenProperties is a JSON object with any values, whose members keep the order of the document.
type tokenProperties []document.Property

// Schema implements huma.SchemaProvider.
func (tokenProperties) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{}}
}

// MarshalJSON implements json.Marshaler.
func (p tokenProperties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, property := range p {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		b.WriteByte(separator)
		name, err := engine.Encode(property.Name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(property.Value)
	}
	if len(p) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// metadata returns the body of the document; nil when there is none.
func (v *tokenView) metadata(links imageLinks) *tokenMetadata {
	d := v.document
	if d == nil {
		return nil
	}
	m := &tokenMetadata{
		SIP: sip016, Name: schema.OrEmpty(d.Name), Description: schema.OrEmpty(d.Description), Image: links.canonical,
		CachedImage: links.image, CachedThumbnailImage: links.thumbnail, Properties: tokenProperties(d.Properties),
	}
	for _, a := range d.Attributes {
		m.Attributes = append(m.Attributes, tokenAttribute{a.TraitType, a.Value, a.DisplayType})
	}
	if l := d.Localization; l != nil {
		m.Localization = &tokenLocalization{l.URI, l.Default, append([]string{l.Default}, l.Locales...)}
	}
	return m
}

// description returns the description in the document; empty when there is none.
func (v *tokenView) description() string {
	if v.document == nil {
		return ""
	}
	return schema.OrEmpty(v.document.Description)
}

// links returns the links to the image that the document names.
func (v *tokenView) links(c *Config) imageLinks {
	if v.document == nil {
		return imageLinks{}
	}
	return c.imageLinks(v.document.Image, v.image)
}

// sender returns the address that deployed the contract.
func (c *contractRow) sender() string {
	address, _, _ := strings.Cut(c.id, ".")
	return address
}

func (c *contractRow) txID() string { return "0x" + hex.EncodeToString(c.txid) }

// asset returns the identifier of the contract's fungible token, else of its non-fungible token, else the contract's
// id. token-metadata-api answers "::null" for contracts without a fungible token.
func (c *contractRow) asset() string {
	return view.TokenAsset(c.id, c.fungible, c.nonFungible)
}
