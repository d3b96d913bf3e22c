package token

import (
	"fmt"
	"math/big"

	"strata/domain/clarity"
	"strata/domain/fetch"
)

// ReadToken reads the report of a want with Calls. Either the problem is nil or nothing was read: of several problems
// it is the one that may pass soonest, so a read that hangs on a node is Waiting as a whole.
//
// Results may be in any nesting of ok and some; none is absent, err a problem. Decimals above 2^31-1 are absent, and so
// is a total supply that the contract fails to tell. Texts lose what Postgres can't hold.
func ReadToken(kind Kind, r *fetch.Report) (Read, *fetch.Problem) {
	wanted := properties[kind]
	if len(wanted) == 0 {
		return Read{}, &fetch.Problem{Severity: fetch.Wrong, Reason: fetch.ReasonUnknown, Detail: fmt.Sprintf("read a token: unknown kind %q", kind)}
	}
	var read Read
	var soonest *fetch.Problem
	for _, p := range wanted {
		e, v, problem := answer(r, p.function)
		if problem == nil && !p.set(&read, v) {
			problem = unexpected(e, v)
		}
		if problem == nil || p.dispensable && (problem.Severity == fetch.Wrong || e.Status == statusOverBudget) {
			continue
		}
		if soonest == nil || problem.Severity < soonest.Severity {
			soonest = problem
		}
	}
	if soonest != nil {
		return Read{}, soonest
	}
	return read, nil
}

// ReadSupply reads the report of a want with SupplyCalls: from 0 to 2^128-1 in the smallest unit, nil with a problem.
func ReadSupply(r *fetch.Report) (*big.Int, *fetch.Problem) {
	var read Read
	e, v, problem := answer(r, supply.function)
	if problem == nil && (!supply.set(&read, v) || read.TotalSupply == nil) {
		problem = unexpected(e, v)
	}
	if problem != nil {
		return nil, problem
	}
	return read.TotalSupply, nil
}

// ReadLastTokenID reads the report of a want with LastTokenIDCall: a number from 0 to 2^128-1, nil with a problem. Unlike
// with a token's properties, none is a problem, because the function is there to give a number.
func ReadLastTokenID(r *fetch.Report) (*big.Int, *fetch.Problem) {
	e, v, problem := answer(r, lastTokenID)
	if problem != nil {
		return nil, problem
	}
	id, _ := numberOf(v)
	if id == nil {
		return nil, unexpected(e, v)
	}
	return id, nil
}

// unexpected is the problem of a contract that answers with something else than its standard says.
func unexpected(e fetch.Exchange, v clarity.Value) *fetch.Problem {
	return problem(e, fetch.Wrong, fetch.ReasonClarity, "result "+v.Repr())
}
