package token

import (
	"fmt"
	"math/big"
	"slices"

	"strata/domain/clarity"
	"strata/domain/fetch"
)

// ReadToken reads the report of a want with Calls. Either the problem is nil, or the Read is empty. Each property stands
// by itself: what the contract states is read, and Lack says why something is missing. There is a problem only if nothing is
// read. Of several problems, the one that may be over soonest counts: if one call waits for the node, Lack is Waiting.
//
// Results may be in any nesting of ok and some. A property is nil if the result is none, if it is more than 2^31-1
// decimals, or if the contract fails to return it. A result of err is a failure. Texts lose what Postgres cannot hold.
func ReadToken(kind Kind, r *fetch.Report) (Read, *fetch.Problem) {
	properties := propertiesOf[kind]
	if len(properties) == 0 {
		return Read{}, &fetch.Problem{Severity: fetch.Wrong, Reason: fetch.ReasonUnknown, Detail: fmt.Sprintf("read a token: unknown kind %q", kind)}
	}
	var read Read
	var soonest *fetch.Problem
	stated := false
	for _, p := range properties {
		e, problem := p.read(r, &read)
		switch {
		case problem == nil:
			stated = true
		case p.optional && (problem.Severity == fetch.Wrong || e.Status == fetch.StatusOverBudget):
		case soonest == nil || problem.Severity < soonest.Severity:
			soonest = problem
		}
	}
	if soonest != nil && !stated {
		return Read{}, soonest
	}
	read.Lack = soonest
	return read, nil
}

// read adds the property to what was read. The problem says why the contract does not state it.
func (p *property) read(r *fetch.Report, read *Read) (fetch.Exchange, *fetch.Problem) {
	e, v, problem := r.Answer(p.function)
	if problem == nil && !p.set(read, v) {
		problem = unexpected(e, v)
	}
	return e, problem
}

// Missing is a property that a contract failed to state.
type Missing struct {
	Field   string // its name in answers
	Problem *fetch.Problem
}

// MissingOf returns the properties that the contract failed to state in the report of a want with Calls or SupplyCalls, the
// optional ones, too.
func MissingOf(kind Kind, r *fetch.Report) (missing []Missing) {
	var read Read
	for _, p := range propertiesOf[kind] {
		if !slices.ContainsFunc(r.Want.Calls, func(c fetch.Call) bool { return c.Function == p.function }) {
			continue
		}
		if _, problem := p.read(r, &read); problem != nil {
			missing = append(missing, Missing{p.field, problem})
		}
	}
	return missing
}

// ReadSupply reads the report of a want with SupplyCalls. It returns a supply from 0 to 2^128-1 in the smallest unit,
// or nil and a problem.
func ReadSupply(r *fetch.Report) (*big.Int, *fetch.Problem) {
	var read Read
	e, v, problem := r.Answer(supply.function)
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
	e, v, problem := r.Answer(lastTokenID)
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
	return e.Problem(fetch.Wrong, fetch.ReasonClarity, "result "+v.Repr())
}
