package token

import (
	"fmt"
	"math/big"

	"strata/domain/clarity"
	"strata/domain/fetch"
)

// ReadToken reads the report of a want with Calls. Either the problem is nil, or the Read is empty. Of several problems
// it returns the one that may be over soonest: if one call waits for the node, the whole read is Waiting.
//
// Results may be in any nesting of ok and some. A property is nil if the result is none, if it is more than 2^31-1
// decimals, or if it is a total supply that the contract fails to return. A result of err is a problem. Texts lose what
// Postgres cannot hold.
func ReadToken(kind Kind, r *fetch.Report) (Read, *fetch.Problem) {
	properties := propertiesOf[kind]
	if len(properties) == 0 {
		return Read{}, &fetch.Problem{Severity: fetch.Wrong, Reason: fetch.ReasonUnknown, Detail: fmt.Sprintf("read a token: unknown kind %q", kind)}
	}
	var read Read
	var soonest *fetch.Problem
	for _, p := range properties {
		e, v, problem := answer(r, p.function)
		if problem == nil && !p.set(&read, v) {
			problem = unexpected(e, v)
		}
		if problem == nil || p.optional && (problem.Severity == fetch.Wrong || e.Status == statusOverBudget) {
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

// ReadSupply reads the report of a want with SupplyCalls. It returns a supply from 0 to 2^128-1 in the smallest unit,
// or nil and a problem.
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

// ReadLastTokenID reads the report of a want with LastTokenIDCall. It returns a number from 0 to 2^128-1, or nil and a
// problem. Unlike for a token's properties, a result of none is a problem, because the function must return a number.
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

// unexpected returns the problem of a contract whose result is not of the type in its standard.
func unexpected(e fetch.Exchange, v clarity.Value) *fetch.Problem {
	return problem(e, fetch.Wrong, fetch.ReasonClarity, "result "+v.Repr())
}
