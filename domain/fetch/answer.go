package fetch

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"strata/domain/clarity"
)

// Answer returns the node's result for the call of a read-only function that the want names, and the exchange with the
// node.
func (r *Report) Answer(function string) (Exchange, clarity.Value, *Problem) {
	for i, call := range r.Want.Calls {
		if call.Function != function {
			continue
		}
		if e, ok := r.LastOf(i); ok {
			v, problem := valueOf(e)
			return e, v, problem
		}
	}
	return Exchange{}, clarity.Value{}, &Problem{
		Severity: Waiting,
		Reason:   ReasonUnknown,
		Detail:   function + " was not asked",
	}
}

// valueOf returns the value in a node's response, or the problem that prevented it.
//
//	no response, or an incomplete one   Waiting    a failure of the node or of the connection
//	status other than 2xx               Waiting    404 unknown tip, 5xx
//	status 400                          Troubled   reason 109: the call exceeds the node's budget
//	body that is not the node's JSON    Waiting    something stands between us and the node
//	body that is too large              Wrong      reason 101: the contract's fault, since nodes add nothing to a value
//	okay: false                         severityOf(cause), reason 109
//	okay: true                          a value; Wrong, reason 109, if its type is not the one that the reader expects
//
// Sources: stacks-core 4.0, stackslib/src/net/api/callreadonly.rs (shape and statuses). token-metadata-api has reason
// 109 for the last two, and gives up on a token for good when the node is down.
func valueOf(e Exchange) (clarity.Value, *Problem) {
	if problem := e.NodeProblem(); problem != nil {
		return clarity.Value{}, problem
	}
	var body struct {
		Okay   *bool  `json:"okay"`
		Result string `json:"result"`
		Cause  string `json:"cause"`
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return clarity.Value{}, e.Unreadable(err)
	}
	switch {
	case body.Okay == nil || !*body.Okay && body.Cause == "":
		return clarity.Value{}, e.Unreadable(fmt.Errorf("want okay with a result or a cause, got %s", e.Body))
	case !*body.Okay:
		return clarity.Value{}, e.Problem(severityOf(body.Cause), ReasonClarity, body.Cause)
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(body.Result, "0x"))
	if err != nil {
		return clarity.Value{}, e.Unreadable(fmt.Errorf("result: %w", err))
	}
	v, err := clarity.DecodeAll(raw)
	if err != nil {
		return clarity.Value{}, e.Unreadable(fmt.Errorf("result: %w", err))
	}
	return v, nil
}
