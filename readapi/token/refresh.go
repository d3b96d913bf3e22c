package token

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/domain/fetch"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// refreshRequest is a wish to have a token, or all tokens of a contract, fetched again.
type refreshRequest struct {
	ContractID contractParameter `json:"contract_id"`
	TokenID    wishedTokenID     `json:"token_id,omitempty"`
}

// wishedTokenID is the number of a token, decimal, as JSON text.
type wishedTokenID string

// Schema implements huma.SchemaProvider.
func (wishedTokenID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "Decimal; without it, all tokens of the contract.", Extensions: schema.Matching(wishedTokenIDPattern), Examples: []any{"1"}}
}

const wishedTokenIDPattern = `^[0-9]{1,39}$`

var (
	isContract      = regexp.MustCompile(schema.ContractPattern + `$`)
	isWishedTokenID = regexp.MustCompile(wishedTokenIDPattern)
)

// refreshAccepted says that the wish was noted.
type refreshAccepted struct {
	Accepted bool `json:"accepted"`
}

func (refreshAccepted) HTTPStatus() int { return http.StatusAccepted }

// refreshBodyMax is the length of the longest body of a request, in bytes.
const refreshBodyMax = 4 << 10

// refreshInput is a request, and who makes it.
type refreshInput struct {
	RawBody []byte `contentType:"application/json"`
	address string
}

// Resolve implements huma.Resolver: it notes who asks.
func (in *refreshInput) Resolve(ctx huma.Context) []error {
	in.address = ctx.RemoteAddr()
	return nil
}

func (a *api) registerTokenRefresh() {
	r := metadataResource(engine.Operation{
		ID: "refreshToken", Path: "/refresh", Summary: "Have a token fetched again",
		Description: "The wish is noted in the log, and what the contract says, its documents and images are asked for again soon. Clients may wish a few times a minute.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests},
	})
	limits := newWishLimits()
	responses := a.Responses(r, reflect.TypeFor[refreshAccepted]())
	responses["202"] = &huma.Response{Description: "The wish was noted.", Content: responses["200"].Content}
	responses["429"].Headers = map[string]*huma.Param{
		"Retry-After": {Description: "Seconds until a further wish is taken.", Schema: &huma.Schema{Type: huma.TypeInteger}},
	}
	delete(responses, "200")
	delete(responses, "304")
	for i, path := range append([]string{r.Path}, r.Aliases...) {
		huma.Register(a.Huma, huma.Operation{
			Method: http.MethodPost, Path: path, OperationID: r.ID, Summary: r.Summary, Description: r.Description, Tags: []string{r.Tag},
			Responses: responses, Hidden: i > 0, DefaultStatus: http.StatusAccepted, MaxBodyBytes: refreshBodyMax, SkipValidateBody: true,
		}, func(ctx context.Context, in *refreshInput) (*engine.Output, error) {
			if a.metadata.Refresh == nil {
				return &engine.Output{Body: func(ctx huma.Context) {
					r, w := humago.Unwrap(ctx)
					engine.RouteNotFound(w, r)
				}}, nil
			}
			return &engine.Output{Body: engine.Delivery{Answer: a.refresh(ctx, in, limits)}.Write}, nil
		})
	}
	// Bodies are checked in words of our own, so that all huma sees of them is bytes; this is what they are.
	body := a.OpenAPI().Paths[r.Path].Post.RequestBody
	body.Required = true
	body.Content["application/json"].Schema = a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[refreshRequest](), true, "")
}

// refresh notes a wish.
func (a *api) refresh(ctx context.Context, in *refreshInput, limits *wishLimits) *answer.Answer {
	plain := answer.Config{Class: answer.TipPlainErrors}
	wish, err := parseRefresh(in.RawBody)
	if err != nil {
		return a.FailureAnswer(ctx, err, plain)
	}
	now := time.Now()
	if wait := limits.allow(in.address, now); wait > 0 {
		seconds := int(math.Ceil(wait.Seconds()))
		return engine.ErrorAnswer(engine.ErrorBody{
			StatusCode: http.StatusTooManyRequests, Reason: http.StatusText(http.StatusTooManyRequests),
			Message: fmt.Sprintf("Too many wishes, try again in %d s", seconds),
		}, answer.Config{Status: http.StatusTooManyRequests, Fields: []answer.Field{{Name: "Retry-After", Values: []string{strconv.Itoa(seconds)}}}})
	}
	if err := a.checkKnown(ctx, wish); err != nil {
		return a.FailureAnswer(ctx, err, plain)
	}
	noted := fetch.Refresh{Contract: wish.contract, RequestedAt: now.UTC()}
	if id := wish.text(); id != nil {
		noted.TokenID = *id
	}
	if err := a.metadata.Refresh(ctx, noted); err != nil {
		return a.FailureAnswer(ctx, fmt.Errorf("note the wish to fetch %s again: %w", wish.contract, err), plain)
	}
	made, err := engine.NewAnswer(refreshAccepted{Accepted: true}, answer.Config{})
	if err != nil {
		return a.FailureAnswer(ctx, err, plain)
	}
	return made
}

// parseRefresh reads the body of a request. The token has no id when all tokens of the contract are meant.
func parseRefresh(body []byte) (wish namedToken, err error) {
	members, err := engine.MembersOf(body)
	if err != nil {
		return wish, err
	}
	contract, given, err := engine.TextMember(members, "contract_id", isContract)
	if err != nil {
		return wish, err
	}
	if !given {
		return wish, engine.Invalid("body must have required property 'contract_id'")
	}
	id, given, err := engine.TextMember(members, "token_id", isWishedTokenID)
	if err != nil || !given {
		return namedToken{contract: contract}, err
	}
	if wish = nameToken(contract, id); wish.id == nil {
		return wish, errTokenNotFound
	}
	return wish, nil
}

// checkKnown says whether there is what somebody wants to have fetched again.
func (a *api) checkKnown(ctx context.Context, wish namedToken) error {
	_, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		b := s.Batch()
		found := queryTokens(s, b, activeKinds(s), locales{}, wish)
		if err := b.RunLast(ctx); err != nil {
			return nil, err
		}
		switch known := found()[0]; {
		case known.contract == nil:
			return nil, errContractNotFound
		case wish.id != nil && known.token == nil:
			return nil, errTokenNotFound
		}
		return nil, nil
	})
	return err
}
