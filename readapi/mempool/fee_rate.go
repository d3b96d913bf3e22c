package mempool

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
)

// feeRateRequest is the body of a request for the fee rate of a transaction.
type feeRateRequest struct {
	Transaction string `json:"transaction" doc:"The transaction. It must be present; its content is ignored."`
}

// feeRate is the answer, the same for every transaction, as in the reference.
type feeRate struct {
	FeeRate int `json:"fee_rate" enum:"400" doc:"Always 400."`
}

// feeRateInput is a request with its body undecoded.
type feeRateInput struct {
	RawBody []byte `contentType:"application/json"`
}

// feeRateBodyMax is the maximum size of a request body in bytes. It leaves room for a transaction of 2 MiB in hex.
const feeRateBodyMax = 4<<20 + 4<<10

func (a *api) registerFeeRate() {
	r := engine.Operation{
		ID: "get-fee-rate", Path: "/extended/v1/fee_rate", Tag: "Transactions", Summary: "Fee rate estimate, which is a constant",
		Description: engine.Instead("/v2/fees/transaction"),
		Statuses:    []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge}, Class: answer.NoStore,
	}
	responses := a.Responses(r, reflect.TypeFor[feeRate]())
	delete(responses, "503")
	huma.Register(a.Huma, huma.Operation{
		Method: http.MethodPost, Path: r.Path, OperationID: r.ID, Summary: r.Summary, Description: r.Description, Tags: []string{r.Tag},
		Deprecated: true, Responses: responses, MaxBodyBytes: feeRateBodyMax, SkipValidateBody: true,
	}, func(ctx context.Context, in *feeRateInput) (*engine.Output, error) {
		return &engine.Output{Body: engine.Delivery{Answer: a.feeRate(ctx, in)}.Write}, nil
	})
	body := a.OpenAPI().Paths[r.Path].Post.RequestBody
	body.Required = true
	body.Content["application/json"].Schema = a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[feeRateRequest](), true, "")
}

// feeRate checks that the request has a transaction, and answers with the constant.
func (a *api) feeRate(ctx context.Context, in *feeRateInput) *answer.Answer {
	c := answer.Config{Fields: []answer.Field{{Name: "Warning", Values: []string{engine.DeprecationWarning}}}}
	members, err := param.MembersOf(in.RawBody)
	if err == nil {
		var given bool
		if _, given, err = param.TextMember(members, "transaction", nil); err == nil && !given {
			err = engine.Invalid("body must have required property 'transaction'")
		}
	}
	if err != nil {
		return a.FailureAnswer(ctx, err, c)
	}
	rate, err := engine.NewAnswer(feeRate{400}, c)
	if err != nil {
		return a.FailureAnswer(ctx, err, c)
	}
	return rate
}
