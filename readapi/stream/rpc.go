package stream

import (
	"bytes"
	"encoding/json"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
)

// rpcVersion is the version of JSON-RPC (https://www.jsonrpc.org/specification).
const rpcVersion = "2.0"

// rpcBatchMost is the maximum number of requests in a batch.
const rpcBatchMost = 100

// Error codes of JSON-RPC. rpcRefused is from the range for servers: the client has too many subscriptions.
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

// rpcResponse has either a result or an error.
type rpcResponse struct {
	Version string          `json:"jsonrpc"`
	Error   *rpcError       `json:"error,omitempty"`
	Result  any             `json:"result,omitempty"`
	ID      json.RawMessage `json:"id"`
}

func rpcFailure(id json.RawMessage, code int, message string) *rpcResponse {
	return &rpcResponse{Version: rpcVersion, Error: &rpcError{code, message}, ID: id}
}

// rpcRequest is what a client may send: a request, a notification, which has no id, or a response.
type rpcRequest struct {
	Version string          `json:"jsonrpc"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

var rpcNull = json.RawMessage("null")

// handle handles a message of the client. It returns the reply, nil for none, and the changes to the feeds that the
// client follows, which take effect after the reply.
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

// request handles one request. A notification or a response changes nothing and gets no response.
func (s *liveSocket) request(text json.RawMessage) (response *rpcResponse, changes []live.Change) {
	var r rpcRequest
	if err := json.Unmarshal(text, &r); err != nil || r.Version != rpcVersion {
		return rpcFailure(rpcNull, rpcInvalidRequest, "Invalid Request"), nil
	}
	switch {
	case r.Method == nil && (r.Result != nil || r.Error != nil), r.Method != nil && r.ID == nil:
		return nil, nil
	case r.Method == nil, !validID(r.ID):
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

// validID reports whether a value may be an id: a string, a number or null.
func validID(id json.RawMessage) bool {
	switch id[0] {
	case '{', '[', 't', 'f':
		return false
	}
	return true
}

// rpcText encodes a response or several. It panics on an error: responses are always encodable.
func rpcText(value any) []byte {
	text, err := engine.Encode(value)
	if err != nil {
		panic(err)
	}
	return text
}
