package stream

import (
	"bytes"
	"encoding/json"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
)

// rpcVersion is that of JSON-RPC (https://www.jsonrpc.org/specification).
const rpcVersion = "2.0"

// rpcBatchMost is how many requests may come together.
const rpcBatchMost = 100

// Codes of errors of JSON-RPC.
const (
	rpcParseError     = -32700
	rpcInvalidRequest = -32600
	rpcUnknownMethod  = -32601
	rpcInvalidParams  = -32602
	rpcRefused        = -32000
)

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// rpcResponse has one of a result and an error.
type rpcResponse struct {
	Version string          `json:"jsonrpc"`
	Error   *rpcError       `json:"error,omitempty"`
	Result  any             `json:"result,omitempty"`
	ID      json.RawMessage `json:"id"`
}

func rpcFailure(id json.RawMessage, code int, message string) *rpcResponse {
	return &rpcResponse{Version: rpcVersion, Error: &rpcError{code, message}, ID: id}
}

// rpcRequest is a request, a notification, which has no id, or a response.
type rpcRequest struct {
	Version string          `json:"jsonrpc"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

var rpcNull = json.RawMessage("null")

// handle takes a message of the client: what to answer, nil for nothing, and what it follows then.
func (s *liveSocket) handle(message []byte) (reply []byte, changes []live.Change) {
	message = bytes.TrimSpace(message)
	if !json.Valid(message) {
		return rpcText(rpcFailure(rpcNull, rpcParseError, "Parse error")), nil
	}
	if message[0] != '[' {
		response, changes := s.request(message)
		if response == nil {
			return nil, nil
		}
		return rpcText(response), changes
	}
	var requests []json.RawMessage
	if err := json.Unmarshal(message, &requests); err != nil || len(requests) == 0 || len(requests) > rpcBatchMost {
		return rpcText(rpcFailure(rpcNull, rpcInvalidRequest, "Invalid Request")), nil
	}
	responses := make([]*rpcResponse, 0, len(requests))
	for _, request := range requests {
		response, more := s.request(request)
		if response != nil {
			responses = append(responses, response)
			changes = append(changes, more...)
		}
	}
	if len(responses) == 0 {
		return nil, nil
	}
	return rpcText(responses), changes
}

// request takes one request. There is no answer to a notification or a response, which change nothing.
func (s *liveSocket) request(text json.RawMessage) (response *rpcResponse, changes []live.Change) {
	var r rpcRequest
	if err := json.Unmarshal(text, &r); err != nil || r.Version != rpcVersion {
		return rpcFailure(rpcNull, rpcInvalidRequest, "Invalid Request"), nil
	}
	switch {
	case r.Method == nil && (r.Result != nil || r.Error != nil), r.Method != nil && r.ID == nil:
		return nil, nil
	case r.Method == nil, !rpcID(r.ID):
		return rpcFailure(rpcNull, rpcInvalidRequest, "Invalid Request"), nil
	}
	var result any
	var failed *rpcError
	switch *r.Method {
	case "subscribe":
		result, changes, failed = s.subscribe(r.Params)
	case "unsubscribe":
		result, changes, failed = s.unsubscribe(r.Params)
	default:
		failed = &rpcError{rpcUnknownMethod, "Method not found"}
	}
	return &rpcResponse{Version: rpcVersion, Error: failed, Result: result, ID: r.ID}, changes
}

// rpcID says whether a value may be an id: a text, a number or null.
func rpcID(id json.RawMessage) bool {
	switch id[0] {
	case '{', '[', 't', 'f':
		return false
	}
	return true
}

// rpcText writes what is our own: that can be written.
func rpcText(value any) []byte {
	text, err := engine.Encode(value)
	if err != nil {
		panic(err)
	}
	return text
}
