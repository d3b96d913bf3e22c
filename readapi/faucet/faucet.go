// Package faucet serves the faucets of test networks: what it takes to send coins is given by its Config.
package faucet

import (
	"context"
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
	Address   string
	Stacking  bool   // enough to stack, rather than the usual amount
	Unlimited bool   // however often the address got STX; the request itself does not count either
	Client    string // the address that the request came from
}

// Sent is a transaction that a node accepted.
type Sent struct {
	ID     hash.Hash32
	Raw    []byte
	Amount uint64 // µSTX
}

// The errors of Config.STX that answers distinguish. Any other is logged and answered with 503, as ErrRefused is in version 1.
var (
	ErrAddress = errors.New("invalid address")
	ErrTooMany = errors.New("too many requests")
	ErrFunds   = errors.New("no funds")
	ErrRefused = errors.New("the node refuses the transaction")
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
	const forwarded = "The server only forwards the request to another faucet, if it has one."
	a.register("stx", "STX", "500 STX, or with `stacking` enough to stack alone. An address gets five times as much in five minutes, or once in two days with `stacking`.")
	a.register("btc", "BTC", forwarded)
	a.register("sbtc", "sBTC", forwarded)
	a.registerBalance()
	a.registerV3("stx", "STX", "500 STX.")
	a.registerV3("btc", "BTC", forwarded)
	a.registerV3("sbtc", "sBTC", forwarded)
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

// notAvailable ends the description of a faucet.
const notAvailable = " On mainnet, and where the operator has set up no faucet, the answer is 403."

// register adds the path of a faucet in version 1.
func (a *api) register(kind, coin, description string) {
	path, id := "/extended/v1/faucets/"+kind, "request-faucet-"+kind
	a.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodPost, Path: path, OperationID: id, Summary: "Get " + coin + " of a test network", Tags: []string{"Faucets"},
		Description: description + notAvailable,
		Parameters: []*huma.Param{
			{Name: "address", In: "query", Description: "Who gets the coins.", Required: true, Schema: &huma.Schema{Type: huma.TypeString}},
			{Name: "stacking", In: "query", Description: "For STX: enough to stack.", Schema: &huma.Schema{Type: huma.TypeBoolean, Default: false}},
		},
		Responses: a.responses(reflect.TypeFor[faucetSent](), reflect.TypeFor[faucetFailure](), 400, 403, 429, 503),
	})
	a.Plain(http.MethodPost+" "+path, id, func(w http.ResponseWriter, r *http.Request) {
		a.serve(w, r, func() (int, any) { return a.reply(r, kind, coin) })
	})
}

// registerBalance adds the path that tells the balance of a Bitcoin address of a test network.
func (a *api) registerBalance() {
	const path, id = "/extended/v1/faucets/btc/{address}", "get-faucet-btc-balance"
	a.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: path, OperationID: id, Tags: []string{"Faucets"}, Deprecated: true,
		Summary: "Balance of a Bitcoin address of a test network", Description: "The server only forwards the request to another faucet, if it has one. Otherwise the answer is 403.",
		Parameters: []*huma.Param{{Name: "address", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}},
		Responses:  a.responses(reflect.TypeFor[faucetBalance](), reflect.TypeFor[faucetFailure](), 400, 403, 429, 503),
	})
	a.Untraceable("another faucet answers", id)
	a.Plain(http.MethodGet+" "+path, id, func(w http.ResponseWriter, r *http.Request) {
		a.serve(w, r, func() (int, any) { return a.reply(r, "btc", "BTC") })
	})
}

// responses describes the answers of a faucet; failure is the body of those with the given statuses.
func (a *api) responses(success, failure reflect.Type, statuses ...int) map[string]*huma.Response {
	all := a.Responses(engine.Operation{Class: answer.NoStore}, success)
	for _, status := range statuses {
		all[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{
			"application/json": {Schema: a.SchemaOf(failure)},
		}}
	}
	return all
}

// serve answers a request for coins, with the status and body that reply returns if no other faucet answers.
func (a *api) serve(w http.ResponseWriter, r *http.Request, reply func() (int, any)) {
	if a.config.Forward != nil {
		a.config.Forward.ServeHTTP(w, r)
		return
	}
	status, body := reply()
	text, err := engine.NewAnswer(body, answer.Config{Status: status, Class: answer.NoStore})
	if err != nil {
		text = a.FailureAnswer(r.Context(), err, answer.Config{})
	}
	text.Serve(w, r, answer.Moment{})
}

// reply returns the status and the body of an answer of version 1.
func (a *api) reply(r *http.Request, kind, coin string) (status int, reply any) {
	switch {
	case a.config.STX == nil:
		return http.StatusForbidden, faucetFailure{Error: "Faucet is not available"}
	case kind != "stx":
		return http.StatusForbidden, faucetFailure{Error: coin + " faucet is not available"}
	}
	body, err := readBody(r)
	if err != nil {
		return http.StatusBadRequest, faucetFailure{Error: err.Error()}
	}
	request, failure := parse(r, body)
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
		return http.StatusServiceUnavailable, faucetFailure{Error: outOfFunds}
	}
	a.logFailure(r, request, err)
	return http.StatusServiceUnavailable, faucetFailure{Error: unavailable}
}

// Errors of both versions.
const (
	outOfFunds  = "The faucet is temporarily out of funds, please try again later"
	unavailable = "Faucet is temporarily unavailable, please try again later"
)

func (a *api) logFailure(r *http.Request, request *Request, err error) {
	a.Config.Logger.LogAttrs(r.Context(), slog.LevelWarn, "the faucet could not send STX", slog.String("address", request.Address), slog.Any("error", err))
}

func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, bodyMax))
	if err != nil {
		return nil, errors.New("the body can't be read: it must have at most 4096 bytes")
	}
	return body, nil
}

// clientOf returns the address that a request came from.
func clientOf(r *http.Request) string {
	if client, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return client
	}
	return r.RemoteAddr
}

// parse parses the parameters of a request of version 1, which are in its query.
func parse(r *http.Request, body []byte) (*Request, *faucetFailure) {
	query := r.URL.Query()
	request := &Request{Address: query.Get("address"), Client: clientOf(r)}
	if request.Address == "" && len(body) > 0 {
		example := url.URL{Path: r.URL.Path, RawQuery: "address=ST000000000000000000002AMW42H"}
		return nil, &faucetFailure{
			Error: "POST body is no longer supported, parameters must be passed as query parameters, e.g. " + example.String(),
			Help:  "POST " + example.String(),
		}
	}
	switch query.Get("stacking") {
	case "true":
		request.Stacking = true
	case "false", "":
	default:
		return nil, &faucetFailure{Error: "querystring/stacking must be boolean"}
	}
	if request.Address == "" {
		return nil, &faucetFailure{Error: "address required"}
	}
	return request, nil
}
