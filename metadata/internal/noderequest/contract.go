package noderequest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"strata/domain/fetch"
)

// Of returns the requests to a node that a want for what a contract says needs. They are answered as of a block.
func Of(want fetch.Want, tip fetch.Tip) ([]Request, error) {
	address, name, ok := strings.Cut(want.Contract, ".")
	if !ok || address == "" || name == "" {
		return nil, fmt.Errorf("%q is no contract", want.Contract)
	}
	contract := url.PathEscape(address) + "/" + url.PathEscape(name)
	at := "?tip=" + hex.EncodeToString(tip.IndexBlockHash[:])
	if want.Kind == fetch.ContractInterface {
		return []Request{{method: http.MethodGet, path: "/v2/contracts/interface/" + contract + at}}, nil
	}
	requests := make([]Request, len(want.Calls))
	for i, call := range want.Calls {
		body, err := json.Marshal(callBody{Sender: address, Arguments: append([]string{}, call.Arguments...)})
		if err != nil {
			return nil, err
		}
		requests[i] = Request{
			call: i, method: http.MethodPost, body: body,
			path: "/v2/contracts/call-read/" + contract + "/" + url.PathEscape(call.Function) + at,
		}
	}
	return requests, nil
}

// callBody is the body of a request for a read-only call.
type callBody struct {
	Sender    string   `json:"sender"`
	Arguments []string `json:"arguments"`
}

// Attachment returns the request for the content of an attachment with a hash.
func Attachment(hash string) Request {
	return Request{method: http.MethodGet, path: "/v2/attachments/" + hash}
}
