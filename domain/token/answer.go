package token

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"strata/domain/clarity"
	"strata/domain/fetch"
)

// answer is what a node said to the call of a function, and the exchange in which it did.
func answer(r *fetch.Report, function string) (fetch.Exchange, clarity.Value, *fetch.Problem) {
	for i, call := range r.Want.Calls {
		if call.Function != function {
			continue
		}
		if e, ok := r.LastOf(i); ok {
			v, problem := valueOf(e)
			return e, v, problem
		}
	}
	return fetch.Exchange{}, clarity.Value{}, &fetch.Problem{
		Severity: fetch.Waiting,
		Reason:   fetch.ReasonUnknown,
		Detail:   function + " was not asked",
	}
}

// valueOf is the value with which a node answered, or why there is none.
//
//	no exchange, none that is whole     Waiting    the trouble of the node, or of the way to it
//	status other than 2xx               Waiting    404 unknown tip, 5xx
//	status 400                          Troubled 109, the call is over the node's budget
//	body that is not the node's JSON    Waiting    something stands between us and the node
//	body larger than it may be          Wrong 101  the contract's doing: nodes add nothing to a value
//	okay: false                         109, as severityOf says of the cause
//	okay: true                          a value; Wrong 109 when it is none that its reader may get
//
// Sources: stacks-core 4.0, stackslib/src/net/api/callreadonly.rs (shape and statuses). token-metadata-api has 109 for
// the last two, and gives a token up for good when the node is down.
func valueOf(e fetch.Exchange) (clarity.Value, *fetch.Problem) {
	if problem := failure(e); problem != nil {
		return clarity.Value{}, problem
	}
	var body struct {
		Okay   *bool  `json:"okay"`
		Result string `json:"result"`
		Cause  string `json:"cause"`
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return clarity.Value{}, unreadable(e, err)
	}
	switch {
	case body.Okay == nil || !*body.Okay && body.Cause == "":
		return clarity.Value{}, unreadable(e, fmt.Errorf("want okay with a result or a cause, got %s", e.Body))
	case !*body.Okay:
		return clarity.Value{}, problem(e, severityOf(body.Cause), fetch.ReasonClarity, body.Cause)
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(body.Result, "0x"))
	if err != nil {
		return clarity.Value{}, unreadable(e, fmt.Errorf("result: %w", err))
	}
	v, err := clarity.DecodeAll(raw)
	if err != nil {
		return clarity.Value{}, unreadable(e, fmt.Errorf("result: %w", err))
	}
	return v, nil
}
