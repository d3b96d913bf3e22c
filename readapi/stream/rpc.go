package stream

import (
	"bytes"
	"encoding/json"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/stream/internal/jsonrpc"
)

// handle handles a message of the client. It returns the reply, nil for none, and the changes to the feeds that the
// client follows, which take effect after the reply.
func (s *liveSocket) handle(message []byte) (reply []byte, changes []live.Change) {
	message = bytes.TrimSpace(message)
	if !json.Valid(message) {
		return rpcText(jsonrpc.Failure(jsonrpc.Null, jsonrpc.ParseError, "Parse error")), nil
	}
	if message[0] != '[' {
		response, changes := s.request(message)
		if response == nil {
			return nil, nil
		}
		return rpcText(response), changes
	}
	var requests []json.RawMessage
	if err := json.Unmarshal(message, &requests); err != nil || len(requests) == 0 || len(requests) > jsonrpc.BatchMost {
		return rpcText(jsonrpc.Failure(jsonrpc.Null, jsonrpc.InvalidRequest, "Invalid Request")), nil
	}
	responses := make([]*jsonrpc.Response, 0, len(requests))
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
func (s *liveSocket) request(text json.RawMessage) (response *jsonrpc.Response, changes []live.Change) {
	var r jsonrpc.Request
	if err := json.Unmarshal(text, &r); err != nil || r.Version != jsonrpc.Version {
		return jsonrpc.Failure(jsonrpc.Null, jsonrpc.InvalidRequest, "Invalid Request"), nil
	}
	switch {
	case r.Method == nil && (r.Result != nil || r.Error != nil), r.Method != nil && r.ID == nil:
		return nil, nil
	case r.Method == nil, !jsonrpc.ValidID(r.ID):
		return jsonrpc.Failure(jsonrpc.Null, jsonrpc.InvalidRequest, "Invalid Request"), nil
	}
	var result any
	var failed *jsonrpc.Error
	switch *r.Method {
	case "subscribe":
		result, changes, failed = s.subscribe(r.Params)
	case "unsubscribe":
		result, changes, failed = s.unsubscribe(r.Params)
	default:
		failed = &jsonrpc.Error{Code: jsonrpc.UnknownMethod, Message: "Method not found"}
	}
	return &jsonrpc.Response{Version: jsonrpc.Version, Error: failed, Result: result, ID: r.ID}, changes
}

// rpcText encodes a response or several. It panics on an error: responses are always encodable.
func rpcText(value any) []byte {
	text, err := engine.Encode(value)
	if err != nil {
		panic(err)
	}
	return text
}
