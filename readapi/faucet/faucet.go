// Package faucet serves the faucets of test networks: what it takes to send coins is given by its Config.
package faucet

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// Request asks for STX.
type Request struct {
	Address  string
	Stacking bool   // enough to stack, rather than the usual amount
	Client   string // the address that the request came from
}

// Sent is a transaction that a node accepted.
type Sent struct {
	ID  hash.Hash32
	Raw []byte
}

// The errors of Config.STX that are the client's business. Any other is logged and answered with 503.
var (
	ErrAddress = errors.New("invalid address")
	ErrTooMany = errors.New("too many requests")
	ErrFunds   = errors.New("no funds")
)

// Config says where coins come from. Without any, all faucets answer 403.
type Config struct {
	// STX sends STX.
	STX func(ctx context.Context, r Request) (*Sent, error)
	// Forward answers all requests instead.
	Forward http.Handler
}

// api registers the package's operations on an engine and serves them.
type api struct {
	*engine.Engine
	config Config
}

// Mount registers the package's operations on an engine.
func Mount(e *engine.Engine, config Config) {
	a := &api{e, config}
	a.register("stx", "request-faucet-stx", "STX", "500 STX, or with `stacking` enough to stack alone. An address gets five times as much in five minutes, or once in two days with `stacking`.")
	a.register("btc", "request-faucet-btc", "BTC", "The server only forwards the request to another faucet, if it has one.")
	a.register("sbtc", "request-faucet-sbtc", "sBTC", "The server only forwards the request to another faucet, if it has one.")
	a.registerBalance()
}

// bodyMax is the maximum length of a request's body, in bytes.
const bodyMax = 4 << 10

// faucetSent is the answer to a request that was met.
type faucetSent struct {
	Success bool         `json:"success"`
	TxID    hash.Hash32  `json:"txId"`
	TxRaw   view.HexText `json:"txRaw"`
}

// faucetFailure is the answer to a request that was not met.
type faucetFailure struct {
	Error   string `json:"error"`
	Success bool   `json:"success"`
	Help    string `json:"help,omitempty"`
}

// faucetBalance is the answer about a Bitcoin address.
type faucetBalance struct {
	Balance float64 `json:"balance"`
}

// faucetRequest is what version 3 takes.
type faucetRequest struct {
	Address  string `json:"address" doc:"Who gets the coins."`
	Stacking bool   `json:"stacking,omitempty" doc:"For STX: enough to stack."`
}

// register adds the two paths of a faucet.
func (a *api) register(kind, id, coin, description string) {
	for version, path := range map[int]string{1: "/extended/v1/faucets/" + kind, 3: "/extended/v3/faucets/" + kind} {
		o := &huma.Operation{
			Method: http.MethodPost, Path: path, OperationID: id, Summary: "Get " + coin + " of a test network", Tags: []string{"Faucets"},
			Description: description + " On mainnet, and where the operator has set up no faucet, the answer is 403.",
			Responses:   a.responses(reflect.TypeFor[faucetSent]()),
		}
		if version == 3 {
			o.OperationID += "-v3"
			o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
				"application/json": {Schema: a.SchemaOf(reflect.TypeFor[faucetRequest]())},
			}}
		} else {
			o.Parameters = []*huma.Param{
				{Name: "address", In: "query", Description: "Who gets the coins.", Required: true, Schema: &huma.Schema{Type: huma.TypeString}},
				{Name: "stacking", In: "query", Description: "For STX: enough to stack.", Schema: &huma.Schema{Type: huma.TypeBoolean, Default: false}},
			}
		}
		a.OpenAPI().AddOperation(o)
		a.Plain(http.MethodPost+" "+path, o.OperationID, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, kind, coin, version) })
	}
}

// registerBalance adds the path that tells the balance of a Bitcoin address of a test network.
func (a *api) registerBalance() {
	const path, id = "/extended/v1/faucets/btc/{address}", "get-faucet-btc-balance"
	a.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: path, OperationID: id, Tags: []string{"Faucets"}, Deprecated: true,
		Summary: "Balance of a Bitcoin address of a test network", Description: "The server only forwards the request to another faucet, if it has one. Otherwise the answer is 403.",
		Parameters: []*huma.Param{{Name: "address", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}},
		Responses:  a.responses(reflect.TypeFor[faucetBalance]()),
	})
	a.Untraceable("another faucet answers", id)
	a.Plain(http.MethodGet+" "+path, id, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, "btc", "BTC", 1) })
}

// responses describes the answers of a faucet.
func (a *api) responses(success reflect.Type) map[string]*huma.Response {
	all := a.Responses(engine.Operation{Class: answer.NoStore}, success)
	for _, status := range []int{400, 403, 429, 503} {
		all[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{
			"application/json": {Schema: a.SchemaOf(reflect.TypeFor[faucetFailure]())},
		}}
	}
	return all
}

// serve answers a request for coins.
func (a *api) serve(w http.ResponseWriter, r *http.Request, kind, coin string, version int) {
	if a.config.Forward != nil {
		a.config.Forward.ServeHTTP(w, r)
		return
	}
	status, reply := a.reply(r, kind, coin, version)
	text, err := engine.NewAnswer(reply, answer.Config{Status: status, Class: answer.NoStore})
	if err != nil {
		text = a.FailureAnswer(r.Context(), err, answer.Config{})
	}
	text.Serve(w, r, answer.Moment{})
}

// reply returns the status and the body of an answer.
func (a *api) reply(r *http.Request, kind, coin string, version int) (status int, reply any) {
	switch {
	case a.config.STX == nil:
		return http.StatusForbidden, faucetFailure{Error: "Faucet is not available"}
	case kind != "stx":
		return http.StatusForbidden, faucetFailure{Error: coin + " faucet is not available"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, bodyMax))
	if err != nil {
		return http.StatusBadRequest, faucetFailure{Error: "the body can't be read: it must have at most 4096 bytes"}
	}
	request, failure := parse(r, version, body)
	if failure != nil {
		return http.StatusBadRequest, failure
	}
	sent, err := a.config.STX(r.Context(), *request)
	switch {
	case err == nil:
		return http.StatusOK, faucetSent{true, sent.ID, view.HexOf(sent.Raw)}
	case errors.Is(err, ErrAddress):
		return http.StatusBadRequest, faucetFailure{Error: "Invalid address: a Stacks address of a test network is needed"}
	case errors.Is(err, ErrTooMany):
		return http.StatusTooManyRequests, faucetFailure{Error: "Too many requests"}
	case errors.Is(err, ErrFunds):
		return http.StatusServiceUnavailable, faucetFailure{Error: "The faucet is temporarily out of funds, please try again later"}
	}
	a.Config.Logger.LogAttrs(r.Context(), slog.LevelWarn, "the faucet could not send STX", slog.String("address", request.Address), slog.Any("error", err))
	return http.StatusServiceUnavailable, faucetFailure{Error: "Faucet is temporarily unavailable, please try again later"}
}

// parse reads the parameters of a request: version 1 takes them from the query, version 3 from the body.
func parse(r *http.Request, version int, body []byte) (*Request, *faucetFailure) {
	client, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		client = r.RemoteAddr
	}
	request := &Request{Client: client}
	query := r.URL.Query()
	switch {
	case version == 3:
		var given faucetRequest
		if err := json.Unmarshal(body, &given); err != nil {
			return nil, &faucetFailure{Error: "the body must be a JSON object with the text address"}
		}
		request.Address, request.Stacking = given.Address, given.Stacking
	case query.Get("address") == "" && len(body) > 0:
		example := url.URL{Path: r.URL.Path, RawQuery: "address=ST000000000000000000002AMW42H"}
		return nil, &faucetFailure{
			Error: "POST body is no longer supported, parameters must be passed as query parameters, e.g. " + example.String(),
			Help:  "POST " + example.String(),
		}
	default:
		request.Address = query.Get("address")
		switch query.Get("stacking") {
		case "true":
			request.Stacking = true
		case "false", "":
		default:
			return nil, &faucetFailure{Error: "querystring/stacking must be boolean"}
		}
	}
	if request.Address == "" {
		return nil, &faucetFailure{Error: "address required"}
	}
	return request, nil
}
