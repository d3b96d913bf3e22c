package token

import (
	"errors"

	"strata/domain/contract"
	"strata/domain/fetch"
)

const statusNotFound = 404 // RFC 9110 15.5.5

// ReadInterface reads the report of a ContractInterface: the node's answer to GET
// /v2/contracts/interface/{address}/{name}. Either the interface or the problem is nil. A contract that the node does
// not have (404) is Troubled, since the node may learn of it; other failures are Waiting, as with calls.
func ReadInterface(r *fetch.Report) (*contract.Interface, *fetch.Problem) {
	e, ok := r.Last()
	if !ok {
		return nil, &fetch.Problem{Severity: fetch.Waiting, Reason: fetch.ReasonUnknown, Detail: "the interface was not asked for"}
	}
	if problem := failure(e); problem != nil {
		if e.Status == statusNotFound {
			problem.Severity = fetch.Troubled
		}
		return nil, problem
	}
	i, err := contract.Parse(e.Body)
	if err != nil {
		return nil, unreadable(e, err)
	}
	// Any JSON object parses, but a node always lists functions. Whatever does not would pass for no token for good.
	if i == nil || i.Functions == nil {
		return nil, unreadable(e, errors.New("no functions"))
	}
	return i, nil
}
