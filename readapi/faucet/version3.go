package faucet

import (
	"errors"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// faucetRequestV3 is the body of a request of version 3.
type faucetRequestV3 struct {
	Address string `json:"address" minLength:"1" doc:"Who gets the coins."`
}

type faucetTransaction struct {
	TxID  hash.Hash32 `json:"tx_id"`
	Chain string      `json:"chain" enum:"stacks,bitcoin"`
}

// faucetAmount has the member of the coin that was sent.
type faucetAmount struct {
	STX  schema.Amount `json:"stx,omitempty" doc:"µSTX"`
	BTC  schema.Amount `json:"btc,omitempty" doc:"sats"`
	SBTC schema.Amount `json:"sbtc,omitempty" doc:"sats"`
}

// faucetSentV3 is the answer of version 3 to a request that was met.
type faucetSentV3 struct {
	Transaction faucetTransaction `json:"transaction"`
	Amount      faucetAmount      `json:"amount"`
}

// faucetFailureV3 is the answer of version 3 to a request that was not met.
type faucetFailureV3 struct {
	Error string `json:"error"`
}

// registerV3 adds the path of a faucet in version 3.
func (a *api) registerV3(kind, coin, description string) {
	path, id := "/extended/v3/faucets/"+kind, "request-faucet-"+kind+"-v3"
	a.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodPost, Path: path, OperationID: id, Summary: "Get " + coin + " of a test network", Tags: []string{"Faucets"},
		Description: description + notAvailable,
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: a.SchemaOf(reflect.TypeFor[faucetRequestV3]())},
		}},
		Responses: a.responses(reflect.TypeFor[faucetSentV3](), reflect.TypeFor[faucetFailureV3](), 400, 403, 500, 503),
	})
	a.Plain(http.MethodPost+" "+path, id, func(w http.ResponseWriter, r *http.Request) {
		a.serve(w, r, func() (int, any) { return a.replyV3(r, kind, coin) })
	})
}

// replyV3 returns the status and the body of an answer of version 3.
func (a *api) replyV3(r *http.Request, kind, coin string) (status int, reply any) {
	address, err := parseV3(r)
	switch {
	case err != nil:
		return http.StatusBadRequest, faucetFailureV3{err.Error()}
	case a.Config.Network == engine.NetworkDefault:
		return http.StatusForbidden, faucetFailureV3{"Faucet is not available"}
	case a.config.STX == nil || kind != "stx":
		return http.StatusForbidden, faucetFailureV3{coin + " faucet is not available"}
	}
	request := &Request{Address: address, Unlimited: true, Client: clientOf(r)}
	sent, err := a.config.STX(r.Context(), *request)
	switch {
	case err == nil:
		return http.StatusOK, faucetSentV3{faucetTransaction{sent.ID, "stacks"}, faucetAmount{STX: schema.Amount(strconv.FormatUint(sent.Amount, 10))}}
	case errors.Is(err, ErrAddress):
		return http.StatusBadRequest, faucetFailureV3{"Invalid testnet Stacks address"}
	case errors.Is(err, ErrFunds):
		return http.StatusServiceUnavailable, faucetFailureV3{outOfFunds}
	}
	a.logFailure(r, request, err)
	if errors.Is(err, ErrRefused) {
		return http.StatusInternalServerError, faucetFailureV3{"Faucet request failed, please try again later"}
	}
	return http.StatusServiceUnavailable, faucetFailureV3{unavailable}
}

// parseV3 returns the address of a request of version 3, which is in its body.
func parseV3(r *http.Request) (address string, err error) {
	body, err := readBody(r)
	if err != nil {
		return "", err
	}
	members, err := param.MembersOf(body)
	if err != nil {
		return "", err
	}
	address, given, err := param.TextMember(members, "address", nil)
	switch {
	case err != nil:
		return "", err
	case !given:
		return "", engine.Invalid("body must have required property 'address'")
	case address == "":
		return "", engine.Invalid("body/address must NOT have fewer than 1 characters")
	}
	return address, nil
}
