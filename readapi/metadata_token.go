package readapi

import (
	"cmp"
	"context"
	"net/http"
	"reflect"

	"strata/domain/token"
	"strata/readapi/internal/answer"
)

// metadataPath begins all resources of tokens. They are under metadataPath/v1, too.
const metadataPath = "/metadata"

func (a *API) registerMetadata() {
	a.registerTokens()
	a.registerTokenList()
	a.registerTokenSearch()
	a.registerTokenProvenance()
	a.registerTokenStatus()
	a.registerTokenRefresh()
}

// metadataResource fills in what resources of tokens have in common. path begins after the version.
func metadataResource(r resource) resource {
	r.path, r.aliases = metadataPath+"/v1"+r.path, []string{metadataPath + r.path}
	r.class, r.failure = answer.TipPlainErrors, reflect.TypeFor[tokenErrorBody]()
	r.tag = cmp.Or(r.tag, "Tokens")
	return r
}

// ftMetadata is a fungible token. What is not known is absent.
type ftMetadata struct {
	Name              string         `json:"name,omitempty" doc:"As the contract has it."`
	Symbol            string         `json:"symbol,omitempty"`
	Decimals          *int32         `json:"decimals,omitempty"`
	TotalSupply       amount         `json:"total_supply,omitempty" doc:"In base units."`
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
	TotalSupply amount         `json:"total_supply,omitempty" doc:"In base units."`
	Metadata    *tokenMetadata `json:"metadata,omitempty" doc:"What the token's document says; absent without one."`
	Refresh     *refreshState  `json:"refresh,omitempty" doc:"That the last attempt to have news failed; absent otherwise."`
}

// The path says in which shape a token is shown. As with the reference, a contract of another kind is shown as well.
func (a *API) registerTokens() {
	statuses := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}
	const about = "What is known stays when a later attempt fails; `refresh` says so then. With status 422 nothing is known yet, or the contract or its document is wrong."
	get(a.Engine, metadataResource(resource{
		id: "getFtMetadata", path: "/ft/{principal}", summary: "A fungible token", about: about, statuses: statuses, brief: true,
	}), a.ftMetadata)
	get(a.Engine, metadataResource(resource{
		id: "getNftMetadata", path: "/nft/{principal}/{token_id}", summary: "A non-fungible token", about: about, statuses: statuses, brief: true,
	}), a.nftMetadata)
	get(a.Engine, metadataResource(resource{
		id: "getSftMetadata", path: "/sft/{principal}/{token_id}", summary: "A semi-fungible token", about: about, statuses: statuses, brief: true,
	}), a.sftMetadata)
}

func (a *API) ftMetadata(ctx context.Context, s *snapshot, in *struct {
	FTInput
	LocaleInput
}) (*ftMetadata, error) {
	v, err := readToken(ctx, s, token.FT, in.named(), in.Locale)
	if err != nil {
		return nil, err
	}
	t, c, links := v.token, v.contract, v.links(&a.metadata)
	return &ftMetadata{
		Name: orEmpty(t.name), Symbol: orEmpty(t.symbol), Decimals: t.decimals, TotalSupply: amount(orEmpty(t.totalSupply)), TokenURI: orEmpty(t.uri),
		Description: v.description(), ImageURI: links.image, ImageThumbnailURI: links.thumbnail, ImageCanonicalURI: links.canonical,
		TxID: c.txID(), SenderAddress: c.sender(), AssetIdentifier: c.asset(), Metadata: v.metadata(links), Refresh: v.refresh(),
	}, nil
}

func (a *API) nftMetadata(ctx context.Context, s *snapshot, in *struct {
	TokenInput
	LocaleInput
}) (*nftMetadata, error) {
	v, err := readToken(ctx, s, token.NFT, in.named(), in.Locale)
	if err != nil {
		return nil, err
	}
	return &nftMetadata{TokenURI: orEmpty(v.token.uri), Metadata: v.metadata(v.links(&a.metadata)), Refresh: v.refresh()}, nil
}

func (a *API) sftMetadata(ctx context.Context, s *snapshot, in *struct {
	TokenInput
	LocaleInput
}) (*sftMetadata, error) {
	v, err := readToken(ctx, s, token.SFT, in.named(), in.Locale)
	if err != nil {
		return nil, err
	}
	return &sftMetadata{
		TokenURI: orEmpty(v.token.uri), Decimals: v.token.decimals, TotalSupply: amount(orEmpty(v.token.totalSupply)),
		Metadata: v.metadata(v.links(&a.metadata)), Refresh: v.refresh(),
	}, nil
}

// readToken reads a token that has something to show; otherwise the error says why it has not.
func readToken(ctx context.Context, s *snapshot, likely token.Kind, named namedToken, locale string) (*tokenView, error) {
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
