package token

import (
	"math/big"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/shard"
	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// contractParameter is the id of a contract in a request.
type contractParameter string

// Schema implements huma.SchemaProvider.
func (contractParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "The contract of the token", Extensions: schema.Matching(schema.ContractPattern + `$`),
		Examples: []any{"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"},
	}
}

// tokenIDParameter is the number of a token in a request. It may be any integer; a token has one from 0 to 2^128-1.
type tokenIDParameter string

// Schema implements huma.SchemaProvider.
func (tokenIDParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: schema.AnySizeFormat, Description: "The number of the token, up to 2^128-1", Examples: []any{1}}
}

// FTInput names a fungible token.
type FTInput struct {
	Principal contractParameter `path:"principal"`
}

// Named returns the token that the input names.
func (in *FTInput) named() tokenRef { return newTokenRef(string(in.Principal), "1") }

// Dependencies returns what the answer is read from.
func (in *FTInput) Dependencies() engine.Dependencies { return onTokens(in.named()) }

// TokenInput names a token of a contract with several tokens.
type TokenInput struct {
	Principal contractParameter `path:"principal"`
	TokenID   tokenIDParameter  `path:"token_id"`
}

// Named returns the token that the input names.
func (in *TokenInput) named() tokenRef { return newTokenRef(string(in.Principal), string(in.TokenID)) }

// Dependencies returns what the answer is read from.
func (in *TokenInput) Dependencies() engine.Dependencies { return onTokens(in.named()) }

// LocaleInput names the locale of the document.
type LocaleInput struct {
	Locale string `query:"locale" doc:"A locale of the token's document, spelled as the document lists it; by default the document's own."`
}

// tokenRef is a reference to a token, as a request names it.
type tokenRef struct {
	contract string
	id       *big.Int // nil if the request names no possible number of a token
}

// newTokenRef returns a reference. id may be any decimal number.
func newTokenRef(contract, id string) tokenRef {
	n, ok := new(big.Int).SetString(id, 10)
	if !ok || n.Sign() < 0 || n.BitLen() > 128 {
		n = nil
	}
	return tokenRef{contract, n}
}

// text returns the id in decimal; nil for a nil id.
func (n tokenRef) text() *string {
	if n.id == nil {
		return nil
	}
	s := n.id.String()
	return &s
}

// tokenKinds lists the kinds of tokens, which are also the names of their projections.
var tokenKinds = []token.Kind{token.FT, token.NFT, token.SFT}

// onTokens returns the dependencies of an answer that is read from the rows of some tokens and their contracts, of any
// kind.
func onTokens(refs ...tokenRef) (d engine.Dependencies) {
	names := make([]string, 0, 2*len(refs))
	for _, n := range refs {
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

// activeKinds returns the kinds whose projections have an active version.
func activeKinds(s *engine.Snapshot) (kinds []token.Kind) {
	for _, kind := range tokenKinds {
		if s.Active(string(kind)) != nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
