package proxy

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"strata/domain/clarity"
	"strata/proxy/internal/policy"
)

// ErrCall is wrapped by errors about a read-only call that a node has executed, and that failed. Another node would give
// the same answer.
var ErrCall = errors.New("the call failed")

// CallRead calls a read-only function of a contract on a node, as POST /v2/contracts/call-read does, and returns its
// result. The result is cached until the next block, as those of forwarded requests are. The caller is the contract's
// own address, which no read-only function of a boot contract cares about.
func (p *Proxy) CallRead(ctx context.Context, contract clarity.Principal, function string, arguments ...clarity.Value) (clarity.Value, error) {
	path := "/v2/contracts/call-read/" + contract.Address.String() + "/" + url.PathEscape(contract.Contract) + "/" + url.PathEscape(function)
	request := struct {
		Sender    string   `json:"sender"`
		Arguments []string `json:"arguments"`
	}{contract.Address.String(), make([]string, len(arguments))}
	for i, argument := range arguments {
		request.Arguments[i] = argument.Hex()
	}
	body, err := json.Marshal(request)
	if err != nil {
		return clarity.Value{}, fmt.Errorf("call %s of %s: %w", function, contract, err)
	}
	x := &exchange{start: time.Now(), endpoint: policy.Match(http.MethodPost, path), path: path}
	x.request.Method, x.request.Target, x.request.ID = http.MethodPost, path, p.requestIDs.Add(1)
	x.request.ContentType, x.request.Body = "application/json", body
	a, err := p.answerTo(ctx, x)
	if err != nil {
		return clarity.Value{}, fmt.Errorf("call %s of %s on a node: %w", function, contract, err)
	}
	defer a.discard()
	if a.status != http.StatusOK || a.rest != nil {
		return clarity.Value{}, fmt.Errorf("call %s of %s on node %s: status %d, %d bytes or more", function, contract, a.node, a.status, len(a.body))
	}
	value, err := callResult(a.body)
	if err != nil {
		return clarity.Value{}, fmt.Errorf("call %s of %s on node %s: %w", function, contract, a.node, err)
	}
	return value, nil
}

// callResult returns the result in the body of an answer to a read-only call.
func callResult(body []byte) (clarity.Value, error) {
	var answer struct {
		Okay          bool
		Result, Cause string
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return clarity.Value{}, fmt.Errorf("parse the answer: %w", err)
	}
	if !answer.Okay {
		return clarity.Value{}, fmt.Errorf("%w: %s", ErrCall, answer.Cause)
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(answer.Result, "0x"))
	if err != nil {
		return clarity.Value{}, fmt.Errorf("parse the result: %w", err)
	}
	value, err := clarity.DecodeAll(raw)
	if err != nil {
		return clarity.Value{}, fmt.Errorf("parse the result: %w", err)
	}
	return value, nil
}
