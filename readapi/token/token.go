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
	a.registerTokenProvenance()
	a.registerTokenStatus()
	a.registerTokenRefresh()
}

// metadataResource fills in what resources of tokens have in common. path begins after the version.
func metadataResource(r engine.Operation) engine.Operation {
	r.Path, r.Aliases = engine.MetadataPath+"/v1"+r.Path, []string{engine.MetadataPath + r.Path}
	r.Class, r.FailureBody = answer.TipPlainErrors, reflect.TypeFor[tokenErrorBody]()
	r.Tag = cmp.Or(r.Tag, "Tokens")
	return r
}

// ftMetadata is a fungible token. What is not known is absent.
type ftMetadata struct {
	Name              string         `json:"name,omitempty" doc:"As the contract has it."`
	Symbol            string         `json:"symbol,omitempty"`
	Decimals          *int32         `json:"decimals,omitempty"`
	TotalSupply       schema.Amount  `json:"total_supply,omitempty" doc:"In base units."`
	TokenURI          string         `json:"token_uri,omitempty"`
	Description       string         `json:"description,omitempty"`
	ImageURI          string         `json:"image_uri,omitempty" doc:"A copy of the image, or where a browser finds it."`
	ImageThumbnailURI string         `json:"image_thumbnail_uri,omitempty"`
	ImageCanonicalURI string         `json:"image_canonical_uri,omitempty" doc:"The image as the document has it, of any scheme."`
	TxID              string         `json:"tx_id" doc:"Of the transaction that deployed the contract."`
	SenderAddress     string         `json:"sender_address" doc:"That deployed the contract."`
	AssetIdentifier   string         `json:"asset_identifier"`
	Metadata          *tokenMetadata `json:"metadata,omitempty" doc:"What the token's document says; absent without one."`
	Refresh           *refreshState  `json:"refresh,omitempty" doc:"That the last attempt to have news failed; absent otherwise."`
}

// nftMetadata is a non-fungible token.
type nftMetadata struct {
	TokenURI string         `json:"token_uri,omitempty"`
	Metadata *tokenMetadata `json:"metadata,omitempty" doc:"What the token's document says; absent without one."`
	Refresh  *refreshState  `json:"refresh,omitempty" doc:"That the last attempt to have news failed; absent otherwise."`
}

// sftMetadata is a semi-fungible token.
type sftMetadata struct {
	TokenURI    string         `json:"token_uri,omitempty"`
	Decimals    *int32         `json:"decimals,omitempty"`
	TotalSupply schema.Amount  `json:"total_supply,omitempty" doc:"In base units."`
	Metadata    *tokenMetadata `json:"metadata,omitempty" doc:"What the token's document says; absent without one."`
	Refresh     *refreshState  `json:"refresh,omitempty" doc:"That the last attempt to have news failed; absent otherwise."`
}

// The path says in which shape a token is shown. As with the reference, a contract of another kind is shown as well.
func (a *api) registerTokens() {
	statuses := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}
	const about = "What is known stays when a later attempt fails; `refresh` says so then. With status 422 nothing is known yet, or the contract or its document is wrong."
	engine.Get(a.Engine, metadataResource(engine.Operation{
		ID: "getFtMetadata", Path: "/ft/{principal}", Summary: "A fungible token", Description: about, Statuses: statuses, Brief: true,
	}), a.ftMetadata)
	engine.Get(a.Engine, metadataResource(engine.Operation{
		ID: "getNftMetadata", Path: "/nft/{principal}/{token_id}", Summary: "A non-fungible token", Description: about, Statuses: statuses, Brief: true,
	}), a.nftMetadata)
	engine.Get(a.Engine, metadataResource(engine.Operation{
		ID: "getSftMetadata", Path: "/sft/{principal}/{token_id}", Summary: "A semi-fungible token", Description: about, Statuses: statuses, Brief: true,
	}), a.sftMetadata)
}

func (a *api) ftMetadata(ctx context.Context, s *engine.Snapshot, in *struct {
	FTInput
	LocaleInput
}) (*ftMetadata, error) {
	v, err := readToken(ctx, s, token.FT, in.Named(), in.Locale)
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
	v, err := readToken(ctx, s, token.NFT, in.Named(), in.Locale)
	if err != nil {
		return nil, err
	}
	return &nftMetadata{TokenURI: schema.OrEmpty(v.token.uri), Metadata: v.metadata(v.links(&a.metadata)), Refresh: v.refresh()}, nil
}

func (a *api) sftMetadata(ctx context.Context, s *engine.Snapshot, in *struct {
	TokenInput
	LocaleInput
}) (*sftMetadata, error) {
	v, err := readToken(ctx, s, token.SFT, in.Named(), in.Locale)
	if err != nil {
		return nil, err
	}
	return &sftMetadata{
		TokenURI: schema.OrEmpty(v.token.uri), Decimals: v.token.decimals, TotalSupply: schema.Amount(schema.OrEmpty(v.token.totalSupply)),
		Metadata: v.metadata(v.links(&a.metadata)), Refresh: v.refresh(),
	}, nil
}

// readToken reads a token that has something to show; otherwise the error says why it has not.
func readToken(ctx context.Context, s *engine.Snapshot, likely token.Kind, named namedToken, locale string) (*tokenView, error) {
	known, err := findToken(ctx, s, likely, locales{one: locale}, named, nil)
	if err != nil {
		return nil, err
	}
	v, err := known.view(named, locale)
	if err != nil {
		return nil, err
	}
	return v, v.refusal()
}
