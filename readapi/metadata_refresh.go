package readapi

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
	return &huma.Schema{Type: huma.TypeString, Description: "Decimal; without it, all tokens of the contract.", Extensions: matching(wishedTokenIDPattern), Examples: []any{"1"}}
}

const wishedTokenIDPattern = `^[0-9]{1,39}$`

var (
	isContract      = regexp.MustCompile(contractPattern + `$`)
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

func (a *API) registerTokenRefresh() {
	r := metadataResource(resource{
		id: "refreshToken", path: "/refresh", summary: "Have a token fetched again",
		about:    "The wish is noted in the log, and what the contract says, its documents and images are asked for again soon. Clients may wish a few times a minute.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests},
	})
	limits := newWishLimits()
	responses := a.responses(r, reflect.TypeFor[refreshAccepted]())
	responses["202"] = &huma.Response{Description: "The wish was noted.", Content: responses["200"].Content}
	responses["429"].Headers = map[string]*huma.Param{
		"Retry-After": {Description: "Seconds until a further wish is taken.", Schema: &huma.Schema{Type: huma.TypeInteger}},
	}
	delete(responses, "200")
	delete(responses, "304")
	for i, path := range append([]string{r.path}, r.aliases...) {
		huma.Register(a.huma, huma.Operation{
			Method: http.MethodPost, Path: path, OperationID: r.id, Summary: r.summary, Description: r.about, Tags: []string{r.tag},
			Responses: responses, Hidden: i > 0, DefaultStatus: http.StatusAccepted, MaxBodyBytes: refreshBodyMax, SkipValidateBody: true,
		}, func(ctx context.Context, in *refreshInput) (*written, error) {
			if a.metadata.Refresh == nil {
				return &written{Body: func(ctx huma.Context) {
					r, w := humago.Unwrap(ctx)
					routeNotFound(w, r)
				}}, nil
			}
			return &written{Body: sent{Answer: a.refresh(ctx, in, limits)}.write}, nil
		})
	}
	// Bodies are checked in words of our own, so that all huma sees of them is bytes; this is what they are.
	body := a.OpenAPI().Paths[r.path].Post.RequestBody
	body.Required = true
	body.Content["application/json"].Schema = a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[refreshRequest](), true, "")
}

// refresh notes a wish.
func (a *API) refresh(ctx context.Context, in *refreshInput, limits *wishLimits) *answer.Answer {
	plain := answer.Config{Class: answer.TipPlainErrors}
	wish, err := parseRefresh(in.RawBody)
	if err != nil {
		return a.failed(ctx, err, plain)
	}
	now := time.Now()
	if wait := limits.allow(in.address, now); wait > 0 {
		seconds := int(math.Ceil(wait.Seconds()))
		return errorAnswer(errorBody{
			StatusCode: http.StatusTooManyRequests, Reason: http.StatusText(http.StatusTooManyRequests),
			Message: fmt.Sprintf("Too many wishes, try again in %d s", seconds),
		}, answer.Config{Status: http.StatusTooManyRequests, Fields: []answer.Field{{Name: "Retry-After", Values: []string{strconv.Itoa(seconds)}}}})
	}
	if err := a.checkKnown(ctx, wish); err != nil {
		return a.failed(ctx, err, plain)
	}
	noted := fetch.Refresh{Contract: wish.contract, RequestedAt: now.UTC()}
	if id := wish.text(); id != nil {
		noted.TokenID = *id
	}
	if err := a.metadata.Refresh(ctx, noted); err != nil {
		return a.failed(ctx, fmt.Errorf("note the wish to fetch %s again: %w", wish.contract, err), plain)
	}
	made, err := answerOf(refreshAccepted{Accepted: true}, answer.Config{})
	if err != nil {
		return a.failed(ctx, err, plain)
	}
	return made
}

// parseRefresh reads the body of a request. The token has no id when all tokens of the contract are meant.
func parseRefresh(body []byte) (wish namedToken, err error) {
	members, err := membersOf(body)
	if err != nil {
		return wish, err
	}
	contract, given, err := textMember(members, "contract_id", isContract)
	if err != nil {
		return wish, err
	}
	if !given {
		return wish, invalid("body must have required property 'contract_id'")
	}
	id, given, err := textMember(members, "token_id", isWishedTokenID)
	if err != nil || !given {
		return namedToken{contract: contract}, err
	}
	if wish = nameToken(contract, id); wish.id == nil {
		return wish, errTokenNotFound
	}
	return wish, nil
}

// checkKnown says whether there is what somebody wants to have fetched again.
func (a *API) checkKnown(ctx context.Context, wish namedToken) error {
	_, _, err := a.read(ctx, nil, nil, func(ctx context.Context, s *snapshot) (any, error) {
		b := s.batch()
		found := s.queryTokens(b, activeKinds(s), locales{}, wish)
		if err := b.runLast(ctx); err != nil {
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
