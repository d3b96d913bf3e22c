// Package jsonrpc has the messages of JSON-RPC 2.0 (https://www.jsonrpc.org/specification) as a server sees them.
package jsonrpc

import "encoding/json"

// Version is that of the specification, which every message names.
const Version = "2.0"

// BatchMost is the maximum number of requests in a batch.
const BatchMost = 100

// Codes of errors. Refused is from the range for servers: the client has too many subscriptions.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	UnknownMethod  = -32601
	InvalidParams  = -32602
	Refused        = -32000
)

// Error says why a request failed.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Response has either a result or an error.
type Response struct {
	Version string          `json:"jsonrpc"`
	Error   *Error          `json:"error,omitempty"`
	Result  any             `json:"result,omitempty"`
	ID      json.RawMessage `json:"id"`
}

// Failure returns the response to a request that failed.
func Failure(id json.RawMessage, code int, message string) *Response {
	return &Response{Version: Version, Error: &Error{code, message}, ID: id}
}

// Request is what a client may send: a request, a notification, which has no id, or a response.
type Request struct {
	Version string          `json:"jsonrpc"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// Null is the id in the response to what is no request.
var Null = json.RawMessage("null")

// ValidID reports whether a value may be an id: a string, a number or null.
func ValidID(id json.RawMessage) bool {
	switch id[0] {
	case '{', '[', 't', 'f':
		return false
	}
	return true
}
