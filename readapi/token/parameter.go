package token

import (
	"math/big"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/shard"
	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// contractParameter is a contract in a request.
type contractParameter string

// Schema implements huma.SchemaProvider.
func (contractParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "The contract of the token", Extensions: schema.Matching(schema.ContractPattern + `$`),
		Examples: []any{"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"},
	}
}

// tokenIDParameter is the number of a token in a request: any integer, of which those from 0 to 2^128-1 can be tokens.
type tokenIDParameter string

// Schema implements huma.SchemaProvider.
func (tokenIDParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: engine.AnySizeFormat, Description: "The number of the token, up to 2^128-1", Examples: []any{1}}
}

// FTInput names a fungible token.
type FTInput struct {
	Principal contractParameter `path:"principal"`
}

func (in *FTInput) Named() namedToken { return nameToken(string(in.Principal), "1") }

func (in *FTInput) Dependencies() engine.Dependencies { return onTokens(in.Named()) }

// TokenInput names a token of a contract that has many.
type TokenInput struct {
	Principal contractParameter `path:"principal"`
	TokenID   tokenIDParameter  `path:"token_id"`
}

func (in *TokenInput) Named() namedToken { return nameToken(string(in.Principal), string(in.TokenID)) }

func (in *TokenInput) Dependencies() engine.Dependencies { return onTokens(in.Named()) }

// LocaleInput is the language of the document that is shown.
type LocaleInput struct {
	Locale string `query:"locale" doc:"A locale that the token's document lists, written in the same way. Without it the document itself is shown."`
}

// namedToken is a token as a request names it.
type namedToken struct {
	contract string
	id       *big.Int // nil for what can't be the number of a token
}

// nameToken takes any decimal number for an id.
func nameToken(contract, id string) namedToken {
	n, ok := new(big.Int).SetString(id, 10)
	if !ok || n.Sign() < 0 || n.BitLen() > 128 {
		n = nil
	}
	return namedToken{contract, n}
}

// text is the id in decimal; nil for no id.
func (n namedToken) text() *string {
	if n.id == nil {
		return nil
	}
	s := n.id.String()
	return &s
}

// tokenKinds are the kinds of tokens, and the names of the projections that have them.
var tokenKinds = []token.Kind{token.FT, token.NFT, token.SFT}

// onTokens is for answers made of what is known of some tokens and their contracts, whatever their kinds.
func onTokens(named ...namedToken) (d engine.Dependencies) {
	names := make([]string, 0, 2*len(named))
	for _, n := range named {
		names = append(names, shard.Account(n.contract))
		if id := n.text(); id != nil {
			names = append(names, shard.Token(n.contract, *id))
		}
	}
	for _, kind := range tokenKinds {
		d = d.And(string(kind), names...)
	}
	return d
}

// activeKinds are those whose projections have an active version.
func activeKinds(s *engine.Snapshot) (kinds []token.Kind) {
	for _, kind := range tokenKinds {
		if s.Active(string(kind)) != nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
