package param

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// Dependencies returns the balances of the account and its transactions in the mempool.
func (in *PrincipalInput) Dependencies() engine.Dependencies {
	return engine.On("balances", shard.Account(string(in.Principal))).With("mempool", shard.Account(string(in.Principal)))
}

// Resolve returns the account and the tip.
func (in *PrincipalInput) Resolve(ctx context.Context, s *engine.Snapshot) (account string, at Moment, err error) {
	at, err = AsOf{}.moment(ctx, s)
	return string(in.Principal), at, err
}

// anyPrincipal is an address or a contract in a request of version 3 of the API. Its checksum is not verified: the
// tables hold nothing under a mistyped address.
type anyPrincipal string

// Schema implements huma.SchemaProvider.
func (anyPrincipal) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "A Stacks address or a contract",
		AnyOf: []*huma.Schema{
			{Type: huma.TypeString, Title: "Address", Extensions: schema.Matching(`^` + schema.AddressPattern + `$`), Examples: []any{"SP000000000000000000002Q6VF78"}},
			{Type: huma.TypeString, Title: "Contract", Extensions: schema.Matching(`^` + schema.AddressPattern + `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}$`), Examples: []any{"SP000000000000000000002Q6VF78.pox-4"}},
		},
	}
}

// PrincipalInput names an account in a request of version 3 of the API.
type PrincipalInput struct {
	Principal anyPrincipal `path:"principal"`
}

// standardAddress is an address in a request of version 3 of the API, and no contract.
type standardAddress string

// Schema implements huma.SchemaProvider.
func (standardAddress) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "A Stacks address", Extensions: schema.Matching(`^` + schema.AddressPattern + `$`), Examples: []any{"SP000000000000000000002Q6VF78"},
	}
}

// AddressInput names an account that is no contract in a request of version 3 of the API.
type AddressInput struct {
	Principal standardAddress `path:"principal"`
}

func (in *AddressInput) account() *PrincipalInput {
	return &PrincipalInput{anyPrincipal(in.Principal)}
}

// Dependencies returns the balances of the account and its transactions in the mempool.
func (in *AddressInput) Dependencies() engine.Dependencies { return in.account().Dependencies() }

// Resolve returns the account and the tip.
func (in *AddressInput) Resolve(ctx context.Context, s *engine.Snapshot) (account string, at Moment, err error) {
	return in.account().Resolve(ctx, s)
}
