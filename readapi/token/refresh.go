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
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// refreshRequest asks to fetch a token, or all tokens of a contract, again.
type refreshRequest struct {
	ContractID contractParameter `json:"contract_id"`
	TokenID    wishedTokenID     `json:"token_id,omitempty"`
}

// wishedTokenID is the number of a token as a JSON string in decimal.
type wishedTokenID string

// Schema implements huma.SchemaProvider.
func (wishedTokenID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "The number of the token, in decimal; by default all tokens of the contract.", Extensions: schema.Matching(wishedTokenIDPattern), Examples: []any{"1"}}
}

const wishedTokenIDPattern = `^[0-9]{1,39}$`

var (
	isContract      = regexp.MustCompile(schema.ContractPattern + `$`)
	isWishedTokenID = regexp.MustCompile(wishedTokenIDPattern)
)

// refreshAccepted says that the request was written to the log.
type refreshAccepted struct {
	Accepted bool `json:"accepted"`
}

// HTTPStatus returns the status of the answer.
func (refreshAccepted) HTTPStatus() int { return http.StatusAccepted }

// refreshBodyMax is the maximum length of a request's body, in bytes.
const refreshBodyMax = 4 << 10

// refreshInput is a request and the address of its client.
type refreshInput struct {
	RawBody []byte `contentType:"application/json"`
	address string
}

// Resolve implements huma.Resolver: it sets the address.
func (in *refreshInput) Resolve(ctx huma.Context) []error {
	in.address = ctx.RemoteAddr()
	return nil
}

func (a *api) registerTokenRefresh() {
	r := metadataOperation(engine.Operation{
		ID: "refreshToken", Path: "/refresh", Summary: "Refresh a token",
		Description: "The request is written to the log. The contract is read again soon, and its documents and images are fetched again. A client may send a few requests a minute.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests},
	})
	limits := newRefreshLimits()
	responses := a.Responses(r, reflect.TypeFor[refreshAccepted]())
	responses["202"] = &huma.Response{Description: "The request was accepted.", Content: responses["200"].Content}
	responses["429"].Headers = map[string]*huma.Param{
		"Retry-After": {Description: "Seconds until the next request is accepted.", Schema: &huma.Schema{Type: huma.TypeInteger}},
	}
	// A server that takes no refreshes answers as for any path that it does not have.
	missing := responses["404"].Content["application/json"]
	missing.Schema = &huma.Schema{Title: "RefreshNotFound", AnyOf: []*huma.Schema{missing.Schema, a.SchemaOf(reflect.TypeFor[engine.ErrorBody]())}}
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
	// parseRefresh validates bodies, for error texts of our own, so huma takes them as bytes. Their schema is set here.
	body := a.OpenAPI().Paths[r.Path].Post.RequestBody
	body.Required = true
	body.Content["application/json"].Schema = a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[refreshRequest](), true, "")
}

// refresh handles a request: it checks the limits and the token, and hands the request to Config.Refresh.
func (a *api) refresh(ctx context.Context, in *refreshInput, limits *refreshLimits) *answer.Answer {
	plain := answer.Config{Class: answer.TipPlainErrors}
	ref, err := parseRefresh(in.RawBody)
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
	if err := a.checkKnown(ctx, ref); err != nil {
		return a.FailureAnswer(ctx, err, plain)
	}
	request := fetch.Refresh{Contract: ref.contract, RequestedAt: now.UTC()}
	if id := ref.text(); id != nil {
		request.TokenID = *id
	}
	if err := a.metadata.Refresh(ctx, request); err != nil {
		return a.FailureAnswer(ctx, fmt.Errorf("write the request to refresh %s: %w", ref.contract, err), plain)
	}
	accepted, err := engine.NewAnswer(refreshAccepted{Accepted: true}, answer.Config{})
	if err != nil {
		return a.FailureAnswer(ctx, err, plain)
	}
	return accepted
}

// parseRefresh parses the body of a request. The result has a nil id for all tokens of the contract.
func parseRefresh(body []byte) (ref tokenRef, err error) {
	members, err := param.MembersOf(body)
	if err != nil {
		return ref, err
	}
	contract, given, err := param.TextMember(members, "contract_id", isContract)
	if err != nil {
		return ref, err
	}
	if !given {
		return ref, engine.Invalid("body must have required property 'contract_id'")
	}
	id, given, err := param.TextMember(members, "token_id", isWishedTokenID)
	if err != nil || !given {
		return tokenRef{contract: contract}, err
	}
	if ref = newTokenRef(contract, id); ref.id == nil {
		return ref, errTokenNotFound
	}
	return ref, nil
}

// checkKnown returns the error to answer if the contract or the token is not known.
func (a *api) checkKnown(ctx context.Context, ref tokenRef) error {
	_, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		b := s.Batch()
		found := queryTokens(s, b, activeKinds(s), locales{}, ref)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		switch known := found()[0]; {
		case known.contract == nil:
			return nil, errContractNotFound
		case ref.id != nil && known.token == nil:
			return nil, errTokenNotFound
		}
		return nil, nil
	})
	return err
}
