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
)

// sip016 is the standard that all metadata follows.
const sip016 = 16

// tokenMetadata is what a token's document says. What it does not say is absent.
type tokenMetadata struct {
	SIP                  int                `json:"sip" doc:"Always 16."`
	Name                 string             `json:"name,omitempty"`
	Description          string             `json:"description,omitempty"`
	Image                string             `json:"image,omitempty" doc:"As the document has it, of any scheme."`
	CachedImage          string             `json:"cached_image,omitempty"`
	CachedThumbnailImage string             `json:"cached_thumbnail_image,omitempty"`
	Attributes           []tokenAttribute   `json:"attributes,omitempty" nullable:"false"`
	Properties           tokenProperties    `json:"properties,omitempty"`
	Localization         *tokenLocalization `json:"localization,omitempty"`
}

type tokenAttribute struct {
	TraitType   string          `json:"trait_type"`
	Value       json.RawMessage `json:"value" doc:"Any JSON, as the document has it."`
	DisplayType *string         `json:"display_type,omitempty"`
}

type tokenLocalization struct {
	URI     string   `json:"uri"`
	Default string   `json:"default"`
	Locales []string `json:"locales" nullable:"false" doc:"Besides the default one."`
}

// tokenProperties is an object whose members have the order of the document, and any values.
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

// metadata is the document that is shown; nil when there is none.
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
		m.Localization = &tokenLocalization{l.URI, l.Default, append([]string{}, l.Locales...)}
	}
	return m
}

// description and links of the document that is shown.
func (v *tokenView) description() string {
	if v.document == nil {
		return ""
	}
	return schema.OrEmpty(v.document.Description)
}

func (v *tokenView) links(c *Config) imageLinks {
	if v.document == nil {
		return imageLinks{}
	}
	return c.imageLinks(v.document.Image, v.image)
}

// sender is the address that deployed a contract.
func (c *contractRow) sender() string {
	address, _, _ := strings.Cut(c.id, ".")
	return address
}

func (c *contractRow) txID() string { return "0x" + hex.EncodeToString(c.txid) }

// asset is the identifier of the contract's first asset. The reference has "::null" for contracts without fungible
// tokens; here it is the other token that they have, or nothing.
func (c *contractRow) asset() string {
	for _, name := range []*string{c.fungible, c.nonFungible} {
		if name != nil && *name != "" {
			return c.id + "::" + *name
		}
	}
	return c.id
}
