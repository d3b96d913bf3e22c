package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"regexp"
	"strings"

	"strata/domain/fetch"
)

// The calls of the administration of token-metadata-api, with its paths, bodies and statuses, for the scripts of its operators.
// They answer nothing when they succeed.

const (
	peerTokensRoot  = "/metadata/admin/"
	peerBodyMax     = 1 << 20 // bytes
	peerContractExp = `^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}$`
)

var isPeerContract = regexp.MustCompile(peerContractExp)

func (a *API) registerPeerTokens(mux *http.ServeMux) {
	refresh := func(ctx context.Context, body []byte) error {
		contract, ids, err := parsePeerTokens(body)
		if err != nil {
			return err
		}
		return a.config.Tokens.Tokens(ctx, contract, ids)
	}
	calls := map[string]func(ctx context.Context, body []byte) error{
		"refresh-token": refresh,
		"cache-images":  refresh, // an image is fetched together with its token
		"retry-failed": func(ctx context.Context, _ []byte) error {
			_, err := a.config.Tokens.Failed(ctx, false)
			return err
		},
		"import-contract": func(ctx context.Context, body []byte) error {
			contract, _, err := parsePeerTokens(body)
			if err != nil {
				return err
			}
			_, err = a.config.Tokens.Import(ctx, contract)
			return err
		},
	}
	for name, call := range calls {
		mux.HandleFunc("POST "+peerTokensRoot+name, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, peerBodyMax))
			if err == nil {
				err = call(r.Context(), body)
			}
			a.logChange(r.Context(), operation{method: r.Method, id: name}, nil, err)
			if err != nil {
				writePeerFailure(w, err)
				return
			}
			w.Header().Set("Content-Length", "0")
			w.WriteHeader(http.StatusOK)
		})
	}
	mux.HandleFunc(peerTokensRoot, func(w http.ResponseWriter, r *http.Request) {
		writeFailure(w, &failureError{StatusCode: http.StatusNotFound, Message: fmt.Sprintf("There is no %s %s: there are no supplies to refresh alone, and no queue to start or stop", r.Method, r.URL.Path)})
	})
}

// peerInvalidError is the error of a body that the peer refuses.
type peerInvalidError string

// Error implements error.
func (e peerInvalidError) Error() string { return string(e) }

// parsePeerTokens parses the body of a call for a contract. ids is nil when the body names no tokens.
func parsePeerTokens(body []byte) (contract string, ids []*big.Int, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return "", nil, peerInvalidError("body must be object")
	}
	id, ok := members["contractId"]
	if !ok {
		return "", nil, peerInvalidError("body must have required property 'contractId'")
	}
	if err := json.Unmarshal(id, &contract); err != nil || bytes.Equal(id, []byte("null")) {
		return "", nil, peerInvalidError("body/contractId must be string")
	}
	if !isPeerContract.MatchString(contract) {
		return "", nil, peerInvalidError(fmt.Sprintf("body/contractId must match pattern %q", peerContractExp))
	}
	numbers, ok := members["tokenIds"]
	if !ok {
		return contract, nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(numbers, &list); err != nil || list == nil {
		return "", nil, peerInvalidError("body/tokenIds must be array")
	}
	ids = make([]*big.Int, 0, len(list))
	for i, number := range list {
		n, ok := new(big.Int).SetString(integerIn(number), 10)
		if !ok {
			return "", nil, peerInvalidError(fmt.Sprintf("body/tokenIds/%d must be integer", i))
		}
		if n.Sign() >= 0 && n.BitLen() <= 128 { // no token has another number, and unknown ones are ignored
			ids = append(ids, n)
		}
	}
	return contract, ids, nil
}

// integerIn returns the digits of a JSON number, or of a JSON string with a decimal integer: a client whose numbers have 53 bits
// writes larger ones as text. It returns no digits for anything else.
func integerIn(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	if strings.HasPrefix(text, "+") { // which math/big takes
		return ""
	}
	return text
}

// peerRefusals are the texts with which the peer refuses, status 422.
var peerRefusals = []struct {
	err  error
	text string
}{
	{fetch.ErrNoContract, "Contract not found"},
	{fetch.ErrNoDeploy, "Contract deploy block not found"},
	{fetch.ErrNoTokens, "Not a token contract"},
	{fetch.ErrNoInterface, "Contract does not have an interface"},
}

func writePeerFailure(w http.ResponseWriter, err error) {
	var invalid peerInvalidError
	if errors.As(err, &invalid) {
		writeJSON(w, http.StatusBadRequest, map[string]any{
			"statusCode": http.StatusBadRequest, "code": "FST_ERR_VALIDATION", "error": http.StatusText(http.StatusBadRequest), "message": string(invalid),
		})
		return
	}
	for _, refusal := range peerRefusals {
		if errors.Is(err, refusal.err) {
			writeJSON(w, http.StatusUnprocessableEntity, map[string]string{"error": refusal.text})
			return
		}
	}
	writeFailure(w, failureOf(err))
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
