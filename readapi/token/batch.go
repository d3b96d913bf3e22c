package token

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// batchMax is the maximum number of tokens in the body of a request; in a query it is searchMax.
const batchMax = 200

// batchBodyMax is the maximum length of a request's body, in bytes.
const batchBodyMax = 64 << 10

// batchRequest names the tokens of a batch.
type batchRequest struct {
	Contracts batchItems `json:"contracts"`
	Locale    string     `json:"locale,omitempty" doc:"A locale of the tokens' documents, spelled as the documents list it; by default each document's own."`
}

// batchItems names tokens in a request's body, each as CONTRACT or CONTRACT:NUMBER.
type batchItems []string

// batchItemPattern matches an item of a batch.
const batchItemPattern = schema.ContractPattern + `(:\d{1,40})?$`

var isBatchItem = regexp.MustCompile(batchItemPattern)

// Schema implements huma.SchemaProvider.
func (batchItems) Schema(huma.Registry) *huma.Schema {
	least, most := 1, batchMax
	return &huma.Schema{
		Type: huma.TypeArray, MinItems: &least, MaxItems: &most,
		Description: "Tokens: a contract, or a contract, a colon and the number of a token; the default number is 1.",
		Items: &huma.Schema{
			Type: huma.TypeString, Extensions: schema.Matching(batchItemPattern),
			Examples: []any{"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world", "SP497E7RX3233ATBS2AB9G4WTHB63X5PBSP5VGAQ.boomboxes-cycle-12:3"},
		},
	}
}

// batchBody has a result for each token of the request, in its order.
type batchBody struct {
	Results []batchResult `json:"results" nullable:"false"`
}

// batchResult is a token, or the reason why there is no metadata of it.
type batchResult struct {
	ContractID  string      `json:"contract_id"`
	TokenNumber tokenNumber `json:"token_number"`
	TokenID     string      `json:"token_id" doc:"token_number as text, which no parser rounds."`
	Token       *batchToken `json:"token,omitempty" doc:"Absent when there is an error."`
	Error       string      `json:"error,omitempty" enum:"Contract not found,Token not found,Locale not found,Token metadata fetch in progress,Token error" doc:"Why there is no metadata: what the operation for a single token would answer."`
	Message     string      `json:"message,omitempty" doc:"For a Token error: what is wrong with the contract or the document."`
}

// batchToken is a token of any kind with all that is known of it. Unknown fields are absent.
type batchToken struct {
	TokenType         token.Kind     `json:"token_type" enum:"ft,nft,sft"`
	Name              string         `json:"name,omitempty"`
	Symbol            string         `json:"symbol,omitempty"`
	Decimals          *int32         `json:"decimals,omitempty"`
	TotalSupply       schema.Amount  `json:"total_supply,omitempty" doc:"In base units."`
	TokenURI          string         `json:"token_uri,omitempty"`
	Description       string         `json:"description,omitempty"`
	ImageURI          string         `json:"image_uri,omitempty"`
	ImageThumbnailURI string         `json:"image_thumbnail_uri,omitempty"`
	ImageCanonicalURI string         `json:"image_canonical_uri,omitempty"`
	TxID              string         `json:"tx_id" doc:"The transaction that deployed the contract."`
	SenderAddress     string         `json:"sender_address" doc:"The address that deployed the contract."`
	AssetIdentifier   string         `json:"asset_identifier"`
	Metadata          *tokenMetadata `json:"metadata,omitempty" doc:"The content of the token's document; absent when there is none."`
	Refresh           *refreshState  `json:"refresh,omitempty" doc:"The failure of the last attempt to refresh the metadata; absent when it succeeded."`
}

// batchInput is a request with its body undecoded.
type batchInput struct {
	RawBody []byte `contentType:"application/json"`
}

func (a *api) registerTokenBatch() {
	const about = "One result for each token, in the order of the request, with the whole metadata or the reason why there is none. The peer has no such operation."
	engine.Get(a.Engine, metadataOperation(engine.Operation{
		ID: "getTokenBatch", Path: "/batch", Summary: "Metadata of many tokens", Statuses: []int{http.StatusBadRequest},
		Description: about + " A longer list fits into the body of a POST.",
	}), a.tokenBatch)
	r := metadataOperation(engine.Operation{
		ID: "postTokenBatch", Path: "/batch", Summary: "Metadata of many tokens, named in the body", Description: about,
		Statuses: []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge},
	})
	responses := a.Responses(r, reflect.TypeFor[batchBody]())
	delete(responses, "304")
	delete(responses["200"].Headers, "ETag")
	delete(responses["200"].Headers, "Cache-Control")
	for i, path := range append([]string{r.Path}, r.Aliases...) {
		huma.Register(a.Huma, huma.Operation{
			Method: http.MethodPost, Path: path, OperationID: r.ID, Summary: r.Summary, Description: r.Description, Tags: []string{r.Tag},
			Responses: responses, Hidden: i > 0, MaxBodyBytes: batchBodyMax, SkipValidateBody: true,
		}, func(ctx context.Context, in *batchInput) (*engine.Output, error) {
			request, err := parseBatch(in.RawBody)
			if err != nil {
				return &engine.Output{Body: engine.Delivery{Answer: engine.ClientErrorAnswer(err)}.Write}, nil
			}
			items := searchItems(request.Contracts)
			return &engine.Output{Body: a.ReadOnce(ctx, onTokens(items.named()...), func(ctx context.Context, s *engine.Snapshot) (any, error) {
				return a.readBatch(ctx, s, items, request.Locale)
			}).Write}, nil
		})
	}
	// parseBatch validates bodies, for error texts of our own, so huma takes them as bytes. Their schema is set here.
	body := a.OpenAPI().Paths[r.Path].Post.RequestBody
	body.Required = true
	body.Content["application/json"].Schema = a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[batchRequest](), true, "")
}

// parseBatch parses and validates the body of a request.
func parseBatch(body []byte) (request batchRequest, err error) {
	members, err := param.MembersOf(body)
	if err != nil {
		return request, err
	}
	if request.Locale, _, err = param.TextMember(members, "locale", nil); err != nil {
		return request, err
	}
	if strings.IndexByte(request.Locale, 0) >= 0 {
		return request, engine.Invalid("body/locale must be string") // Postgres refuses it as text
	}
	value, given := members["contracts"]
	if !given {
		return request, engine.Invalid("body must have required property 'contracts'")
	}
	var items []json.RawMessage
	if err := json.Unmarshal(value, &items); err != nil || items == nil {
		return request, engine.Invalid("body/contracts must be array")
	}
	switch n := len(items); {
	case n == 0:
		return request, engine.Invalid("body/contracts must NOT have fewer than 1 items")
	case n > batchMax:
		return request, engine.Invalid("body/contracts must NOT have more than %d items", batchMax)
	}
	for i, item := range items {
		var text string
		if len(item) == 0 || item[0] != '"' || json.Unmarshal(item, &text) != nil {
			return request, engine.Invalid("body/contracts/%d must be string", i)
		}
		if !isBatchItem.MatchString(text) {
			return request, engine.Invalid(`body/contracts/%d must match pattern "%s"`, i, batchItemPattern)
		}
		request.Contracts = append(request.Contracts, text)
	}
	return request, nil
}

func (a *api) tokenBatch(ctx context.Context, s *engine.Snapshot, in *searchInput) (*batchBody, error) {
	return a.readBatch(ctx, s, in.Contracts, in.Locale)
}

// readBatch reads tokens, with one query for each kind, in one round trip.
func (a *api) readBatch(ctx context.Context, s *engine.Snapshot, items searchItems, locale string) (*batchBody, error) {
	refs := items.named()
	s.TraceRows(func() []engine.Lookup { return tokenLookups(s, activeKinds(s), locales{one: locale}, refs...) })
	body := &batchBody{Results: make([]batchResult, len(refs))}
	known := make([]knownToken, len(refs))
	if kinds := activeKinds(s); len(kinds) > 0 {
		b := s.Batch()
		found := queryTokens(s, b, kinds, locales{one: locale}, refs...)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		known = found()
	}
	views := make([]*tokenView, 0, len(known))
	shown := make([]*batchResult, 0, len(known))
	for i := range known {
		result := &body.Results[i]
		result.ContractID, result.TokenID = refs[i].contract, numberOf(items[i])
		result.TokenNumber = tokenNumber(result.TokenID)
		v, err := known[i].view(refs[i], locale)
		if err != nil {
			return nil, err
		}
		var refused *tokenError
		if err := v.refusal(); errors.As(err, &refused) {
			result.Error, result.Message = refused.body.Reason, refused.body.Message
			continue
		}
		views, shown = append(views, v), append(shown, result)
	}
	if err := a.readLacking(ctx, views...); err != nil {
		return nil, err
	}
	for i, v := range views {
		shown[i].Token = a.shapeBatchToken(v)
	}
	return body, nil
}

// numberOf returns the number of the token that an item names, as the request has it but for leading zeros.
func numberOf(item string) string {
	_, digits, _ := strings.Cut(item, ":")
	if n, ok := new(big.Int).SetString(digits, 10); ok {
		return n.String()
	}
	return "1"
}

func (a *api) shapeBatchToken(v *tokenView) *batchToken {
	t, c, links := v.token, v.contract, v.links(&a.metadata)
	return &batchToken{
		TokenType: c.kind, Name: schema.OrEmpty(t.name), Symbol: schema.OrEmpty(t.symbol), Decimals: t.decimals,
		TotalSupply: schema.Amount(schema.OrEmpty(t.totalSupply)), TokenURI: schema.OrEmpty(t.uri),
		Description: v.description(), ImageURI: links.image, ImageThumbnailURI: links.thumbnail, ImageCanonicalURI: links.canonical,
		TxID: c.txID(), SenderAddress: c.sender(), AssetIdentifier: c.asset(), Metadata: v.metadata(links), Refresh: v.refresh(),
	}
}
