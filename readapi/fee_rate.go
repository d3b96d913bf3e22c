package readapi

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
)

// feeRateRequest is a transaction whose fee is asked for.
type feeRateRequest struct {
	Transaction string `json:"transaction" doc:"The transaction. Nobody reads it."`
}

// feeRate is what the reference estimates for any transaction.
type feeRate struct {
	FeeRate int `json:"fee_rate" enum:"400" doc:"Always 400."`
}

// feeRateInput is a request as it comes.
type feeRateInput struct {
	RawBody []byte `contentType:"application/json"`
}

// feeRateBodyMax is the length of the longest body of a request, in bytes: a transaction of 2 MiB in hex, and more.
const feeRateBodyMax = 4<<20 + 4<<10

func (a *API) registerFeeRate() {
	r := resource{
		id: "get-fee-rate", path: "/extended/v1/fee_rate", tag: "Transactions", summary: "A constant, once an estimate of fees",
		about:    instead("/v2/fees/transaction"),
		statuses: []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge},
	}
	responses := a.responses(r, reflect.TypeFor[feeRate]())
	delete(responses, "503")
	huma.Register(a.huma, huma.Operation{
		Method: http.MethodPost, Path: r.path, OperationID: r.id, Summary: r.summary, Description: r.about, Tags: []string{r.tag},
		Deprecated: true, Responses: responses, MaxBodyBytes: feeRateBodyMax, SkipValidateBody: true,
	}, func(ctx context.Context, in *feeRateInput) (*written, error) {
		return &written{Body: sent{Answer: a.feeRate(ctx, in)}.write}, nil
	})
	body := a.OpenAPI().Paths[r.path].Post.RequestBody
	body.Required = true
	body.Content["application/json"].Schema = a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[feeRateRequest](), true, "")
}

// feeRate answers a request, whatever the transaction.
func (a *API) feeRate(ctx context.Context, in *feeRateInput) *answer.Answer {
	c := answer.Config{Fields: []answer.Field{{Name: "Warning", Values: []string{deprecationWarning}}}}
	members, err := membersOf(in.RawBody)
	if err == nil {
		var given bool
		if _, given, err = textMember(members, "transaction", nil); err == nil && !given {
			err = invalid("body must have required property 'transaction'")
		}
	}
	if err != nil {
		return a.failed(ctx, err, c)
	}
	made, err := answerOf(feeRate{400}, c)
	if err != nil {
		return a.failed(ctx, err, c)
	}
	return made
}
