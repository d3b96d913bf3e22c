package param

import (
	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/live"
	"strata/readapi/internal/schema"
)

// The types of this file are described with a pattern, and whoever reads them checks them: for each, clients know an
// error with other words than those of a schema.

// PrincipalText is an address or a contract in a query. It is empty when it is not given.
type PrincipalText string

const contractEnd = `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}`

// Schema implements huma.SchemaProvider.
func (PrincipalText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Extensions: schema.Described(`^` + schema.AddressPattern + `(` + contractEnd + `)?$`), Examples: []any{"SP000000000000000000002Q6VF78"},
	}
}

// AddressText is an address in a query, and not a contract. It is empty when it is not given.
type AddressText string

// Schema implements huma.SchemaProvider.
func (AddressText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Described(`^` + schema.AddressPattern + `$`), Examples: []any{"SP000000000000000000002Q6VF78"}}
}

// HashText is a 32-byte hash in a query. It is empty when it is not given.
type HashText string

// Schema implements huma.SchemaProvider.
func (HashText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Described(HashPattern)}
}

// AssetText is an asset identifier in a query.
type AssetText string

// Schema implements huma.SchemaProvider.
func (AssetText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Extensions: schema.Described(`^` + schema.AddressPattern + contractEnd + `::[a-zA-Z]([a-zA-Z0-9]|[-_!?+<>=/*]){0,127}$`),
		Examples: []any{"SP2X0TZ59D5SZ8ACQ6YMCHHNR2ZN51Z32E2CJ173.the-explorer-guild::The-Explorer-Guild"},
	}
}

// ValueText is a serialised Clarity value in a query, in hex with or without 0x.
type ValueText string

// Schema implements huma.SchemaProvider.
func (ValueText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Described(`^(0x)?([0-9a-fA-F]{2})+$`), Examples: []any{"0x0100000000000000000000000000000803"}}
}

// PositionText is the position to start after, of a stream. It is empty when it is not given.
type PositionText string

// Schema implements huma.SchemaProvider.
func (PositionText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, MaxLength: schema.Ptr(200), Extensions: schema.Described(`^` + live.PositionPattern + `$`), Examples: []any{"log=0"}}
}
