package token

import (
	"errors"

	"strata/domain/contract"
	"strata/domain/fetch"
)

const statusNotFound = 404 // RFC 9110 15.5.5

// ReadInterface reads the report of a want of kind ContractInterface: the node's response to GET
// /v2/contracts/interface/{address}/{name}. Either the interface or the problem is nil. A contract that the node does
// not have (404) is Troubled, because the node may learn of it. Other failures have the same severities as for calls.
func ReadInterface(r *fetch.Report) (*contract.Interface, *fetch.Problem) {
	e, ok := r.Last()
	if !ok {
		return nil, &fetch.Problem{Severity: fetch.Waiting, Reason: fetch.ReasonUnknown, Detail: "the interface was not asked for"}
	}
	if problem := e.NodeProblem(); problem != nil {
		if e.Status == statusNotFound {
			problem.Severity = fetch.Troubled
		}
		return nil, problem
	}
	i, err := contract.Parse(e.Body)
	if err != nil {
		return nil, e.Unreadable(err)
	}
	// Any JSON object parses, but a node always lists functions. Without this check, another object would count as the
	// interface of a contract that is never a token.
	if i == nil || i.Functions == nil {
		return nil, e.Unreadable(errors.New("no functions"))
	}
	return i, nil
}
