package readapi

import (
	"github.com/danielgtaylor/huma/v2"
)

// anyPrincipal is an address or a contract in a request of version 3 of the API. Its checksum is not looked at: nothing is
// known of one that is mistyped.
type anyPrincipal string

// Schema implements huma.SchemaProvider.
func (anyPrincipal) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "A Stacks address or a contract",
		AnyOf: []*huma.Schema{
			{Type: huma.TypeString, Title: "Address", Extensions: matching(`^` + addressPattern + `$`), Examples: []any{"SP000000000000000000002Q6VF78"}},
			{Type: huma.TypeString, Title: "Contract", Extensions: matching(`^` + addressPattern + `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}$`), Examples: []any{"SP000000000000000000002Q6VF78.pox-4"}},
		},
	}
}

// PrincipalInput names an account as version 3 of the API does.
type PrincipalInput struct {
	Principal anyPrincipal `path:"principal"`
}
