package param

import (
	"github.com/danielgtaylor/huma/v2"

	"strata/domain/clarity"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// PrincipalParameter is an address or a contract in a request.
//
// The pattern of addresses has no end anchor, and neither has the reference's: the pattern matches the first 28
// characters or more, and the checksum, whose failure is another error, decides about the rest.
type PrincipalParameter string

// Schema implements huma.SchemaProvider.
func (PrincipalParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "A Stacks address or a contract",
		AnyOf: []*huma.Schema{
			{Type: huma.TypeString, Title: "Address", Extensions: schema.Matching(`^` + schema.AddressPattern), Examples: []any{"SP000000000000000000002Q6VF78"}},
			{Type: huma.TypeString, Title: "Contract", Extensions: schema.Matching(`^` + schema.AddressPattern + `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}$`), Examples: []any{"SP000000000000000000002Q6VF78.pox-4"}},
		},
	}
}

// Account returns the principal as the tables hold it. The request must write it in its canonical form.
func (p PrincipalParameter) Account() (string, error) {
	parsed, err := clarity.ParsePrincipal(string(p))
	if err != nil || parsed.String() != string(p) {
		return "", engine.BadRequest(`invalid STX address "%s"`, string(p))
	}
	return string(p), nil
}
