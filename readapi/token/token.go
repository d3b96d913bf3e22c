package token

import (
	"cmp"
	"context"
	"net/http"
	"reflect"

	"strata/domain/token"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

func (a *api) registerMetadata() {
	a.registerTokens()
	a.registerTokenList()
	a.registerTokenSearch()
	a.registerTokenBatch()
	a.registerTokenProvenance()
	a.registerTokenStatus()
	a.registerTokenRefresh()
}

// family is the family of all operations of tokens.
var family = &engine.Family{Path: "/metadata", NotFound: answer.TipPlainErrors}

// metadataOperation completes an operation with what all operations of tokens have in common. r.Path begins after the
// version.
func metadataOperation(r engine.Operation) engine.Operation {
	r = family.Place(r)
	r.Class, r.FailureBody = answer.TipPlainErrors, reflect.TypeFor[tokenErrorBody]()
	r.Tag = cmp.Or(r.Tag, "Tokens")
	return r
}

// ftMetadata is a fungible token. Unknown fields are absent.
type ftMetadata struct {
	Name              string         `json:"name,omitempty" doc:"The name that the contract says."`
	Symbol            string         `json:"symbol,omitempty"`
	Decimals          *int32         `json:"decimals,omitempty"`
	TotalSupply       schema.Amount  `json:"total_supply,omitempty" doc:"In base units."`
	TokenURI          string         `json:"token_uri,omitempty"`
	Description       string         `json:"description,omitempty"`
	ImageURI          string         `json:"image_uri,omitempty" doc:"URL of a copy of the image; absent if the server keeps no copies."`
	ImageThumbnailURI string         `json:"image_thumbnail_uri,omitempty"`
	ImageCanonicalURI string         `json:"image_canonical_uri,omitempty" doc:"The image's URI in the document, of any scheme."`
	TxID              string         `json:"tx_id" doc:"The transaction that deployed the contract."`
	SenderAddress     string         `json:"sender_address" doc:"The address that deployed the contract."`
	AssetIdentifier   string         `json:"asset_identifier"`
	Metadata          *tokenMetadata `json:"metadata,omitempty" doc:"The content of the token's document; absent when there is none."`
	Refresh           *refreshState  `json:"refresh,omitempty" doc:"The failure of the last attempt to refresh the metadata; absent when it succeeded."`
}

// nftMetadata is a non-fungible token.
type nftMetadata struct {
	TokenURI string         `json:"token_uri,omitempty"`
	Metadata *tokenMetadata `json:"metadata,omitempty" doc:"The content of the token's document; absent when there is none."`
	Refresh  *refreshState  `json:"refresh,omitempty" doc:"The failure of the last attempt to refresh the metadata; absent when it succeeded."`
}

// sftMetadata is a semi-fungible token.
type sftMetadata struct {
	TokenURI    string         `json:"token_uri,omitempty"`
	Decimals    *int32         `json:"decimals,omitempty"`
	TotalSupply schema.Amount  `json:"total_supply,omitempty" doc:"In base units."`
	Metadata    *tokenMetadata `json:"metadata,omitempty" doc:"The content of the token's document; absent when there is none."`
	Refresh     *refreshState  `json:"refresh,omitempty" doc:"The failure of the last attempt to refresh the metadata; absent when it succeeded."`
}

// registerTokens registers one operation for each kind of token. The path decides on the shape of the answer: as with
// token-metadata-api, a token of another kind is answered in that shape, too.
func (a *api) registerTokens() {
	statuses := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}
	const about = "Metadata that was fetched once is kept when a later attempt fails; `refresh` has the failure. A field that a contract or its node fails to answer is absent, and the others are there. Status 422 means that nothing was fetched yet, or that the contract or its document is invalid."
	engine.Get(a.Engine, metadataOperation(engine.Operation{
		ID: "getFtMetadata", Path: "/ft/{principal}", Summary: "A fungible token", Description: about, Statuses: statuses, PointRead: true,
	}), a.ftMetadata)
	engine.Get(a.Engine, metadataOperation(engine.Operation{
		ID: "getNftMetadata", Path: "/nft/{principal}/{token_id}", Summary: "A non-fungible token", Description: about, Statuses: statuses, PointRead: true,
	}), a.nftMetadata)
	engine.Get(a.Engine, metadataOperation(engine.Operation{
		ID: "getSftMetadata", Path: "/sft/{principal}/{token_id}", Summary: "A semi-fungible token", Description: about, Statuses: statuses, PointRead: true,
	}), a.sftMetadata)
}

func (a *api) ftMetadata(ctx context.Context, s *engine.Snapshot, in *struct {
	FTInput
	LocaleInput
}) (*ftMetadata, error) {
	v, err := a.readToken(ctx, s, token.FT, in.named(), in.Locale)
	if err != nil {
		return nil, err
	}
	t, c, links := v.token, v.contract, v.links(&a.metadata)
	return &ftMetadata{
		Name: schema.OrEmpty(t.name), Symbol: schema.OrEmpty(t.symbol), Decimals: t.decimals, TotalSupply: schema.Amount(schema.OrEmpty(t.totalSupply)), TokenURI: schema.OrEmpty(t.uri),
		Description: v.description(), ImageURI: links.image, ImageThumbnailURI: links.thumbnail, ImageCanonicalURI: links.canonical,
		TxID: c.txID(), SenderAddress: c.sender(), AssetIdentifier: c.asset(), Metadata: v.metadata(links), Refresh: v.refresh(),
	}, nil
}

func (a *api) nftMetadata(ctx context.Context, s *engine.Snapshot, in *struct {
	TokenInput
	LocaleInput
}) (*nftMetadata, error) {
	v, err := a.readToken(ctx, s, token.NFT, in.named(), in.Locale)
	if err != nil {
		return nil, err
	}
	return &nftMetadata{TokenURI: schema.OrEmpty(v.token.uri), Metadata: v.metadata(v.links(&a.metadata)), Refresh: v.refresh()}, nil
}

func (a *api) sftMetadata(ctx context.Context, s *engine.Snapshot, in *struct {
	TokenInput
	LocaleInput
}) (*sftMetadata, error) {
	v, err := a.readToken(ctx, s, token.SFT, in.named(), in.Locale)
	if err != nil {
		return nil, err
	}
	return &sftMetadata{
		TokenURI: schema.OrEmpty(v.token.uri), Decimals: v.token.decimals, TotalSupply: schema.Amount(schema.OrEmpty(v.token.totalSupply)),
		Metadata: v.metadata(v.links(&a.metadata)), Refresh: v.refresh(),
	}, nil
}

// readToken reads a token. If there is nothing to render, it returns the error to answer.
func (a *api) readToken(ctx context.Context, s *engine.Snapshot, likely token.Kind, ref tokenRef, locale string) (*tokenView, error) {
	known, err := findToken(ctx, s, likely, locales{one: locale}, ref, nil)
	if err != nil {
		return nil, err
	}
	v, err := known.view(ref, locale)
	if err != nil {
		return nil, err
	}
	if err := v.refusal(); err != nil {
		return nil, err
	}
	return v, a.readLacking(ctx, v)
}
