package token

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// searchMax is the maximum number of tokens in a request.
const searchMax = 50

// searchItems names tokens, each as CONTRACT or CONTRACT:NUMBER.
type searchItems []string

// Schema implements huma.SchemaProvider.
func (searchItems) Schema(huma.Registry) *huma.Schema {
	least, most := 1, searchMax
	return &huma.Schema{
		Type: huma.TypeArray, MinItems: &least, MaxItems: &most,
		Description: "A contract, or a contract, a colon and the number of a token; the default number is 1. Repeat the parameter to name several tokens.",
		Items: &huma.Schema{
			Type: huma.TypeString, Extensions: schema.Matching(schema.ContractPattern + `(:\d+)?$`),
			Examples: []any{"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world", "SP497E7RX3233ATBS2AB9G4WTHB63X5PBSP5VGAQ.boomboxes-cycle-12:3"},
		},
	}
}

// Named returns the tokens that the items name.
func (items searchItems) named() []tokenRef {
	all := make([]tokenRef, len(items))
	for i, item := range items {
		contract, id, found := strings.Cut(item, ":")
		if !found {
			id = "1"
		}
		all[i] = newTokenRef(contract, id)
	}
	return all
}

type searchInput struct {
	Contracts searchItems `query:"contract,explode" required:"true"`
	LocaleInput
}

// Dependencies returns what the answer is read from.
func (in *searchInput) Dependencies() engine.Dependencies { return onTokens(in.Contracts.named()...) }

// foundToken is a token of any kind. Unknown fields are absent.
type foundToken struct {
	ContractID        string        `json:"contract_id"`
	TokenNumber       tokenNumber   `json:"token_number"`
	TokenID           string        `json:"token_id" doc:"token_number as text, which no parser rounds."`
	TokenType         token.Kind    `json:"token_type" enum:"ft,nft,sft"`
	Name              string        `json:"name,omitempty"`
	Symbol            string        `json:"symbol,omitempty"`
	Decimals          *int32        `json:"decimals,omitempty"`
	TotalSupply       schema.Amount `json:"total_supply,omitempty" doc:"In base units."`
	TokenURI          string        `json:"token_uri,omitempty"`
	Description       string        `json:"description,omitempty"`
	ImageURI          string        `json:"image_uri,omitempty"`
	ImageThumbnailURI string        `json:"image_thumbnail_uri,omitempty"`
	ImageCanonicalURI string        `json:"image_canonical_uri,omitempty"`
	TxID              string        `json:"tx_id" doc:"The transaction that deployed the contract."`
	SenderAddress     string        `json:"sender_address" doc:"The address that deployed the contract."`
}

// tokenNumber is the number of a token as a JSON number of up to 128 bits, which many JSON parsers round.
type tokenNumber json.RawMessage

// Schema implements huma.SchemaProvider.
func (tokenNumber) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: schema.AnySizeFormat, Examples: []any{1}}
}

// MarshalJSON implements json.Marshaler.
func (n tokenNumber) MarshalJSON() ([]byte, error) { return n, nil }

func (a *api) registerTokenSearch() {
	engine.Get(a.Engine, metadataOperation(engine.Operation{
		ID: "searchTokens", Path: "/search", Summary: "Look up tokens by contract and number", Statuses: []int{http.StatusBadRequest},
		Description: "In the order of the request, without the unknown tokens. A token whose document is not known, or not in the locale, has no description and no images.",
	}), a.searchTokens)
}

func (a *api) searchTokens(ctx context.Context, s *engine.Snapshot, in *searchInput) ([]foundToken, error) {
	refs := in.Contracts.named()
	s.TraceRows(func() []engine.Lookup { return tokenLookups(s, activeKinds(s), locales{one: in.Locale}, refs...) })
	b := s.Batch()
	found := queryTokens(s, b, activeKinds(s), locales{one: in.Locale}, refs...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	tokens := []foundToken{}
	known := found()
	for i := range known {
		v, err := known[i].view(refs[i], in.Locale)
		if err != nil {
			return nil, err
		}
		if t, c := v.token, v.contract; t != nil {
			links := v.links(&a.metadata)
			tokens = append(tokens, foundToken{
				ContractID: c.id, TokenNumber: tokenNumber(refs[i].id.String()), TokenID: refs[i].id.String(), TokenType: c.kind,
				Name: schema.OrEmpty(t.name), Symbol: schema.OrEmpty(t.symbol), Decimals: t.decimals, TotalSupply: schema.Amount(schema.OrEmpty(t.totalSupply)), TokenURI: schema.OrEmpty(t.uri),
				Description: v.description(), ImageURI: links.image, ImageThumbnailURI: links.thumbnail, ImageCanonicalURI: links.canonical,
				TxID: c.txID(), SenderAddress: c.sender(),
			})
		}
	}
	return tokens, nil
}
