package token

import (
	"fmt"

	"strata/domain/fetch"
)

// statusOverBudget is how a node refuses a call that costs more than it allows, now and the next time.
const statusOverBudget = 400

// failure says why an exchange with a node has no body to read; nil when it has one. The table is above valueOf.
func failure(e fetch.Exchange) *fetch.Problem {
	switch {
	case e.Status == statusOverBudget:
		return problem(e, fetch.Troubled, fetch.ReasonClarity, fmt.Sprintf("status %d: %s", e.Status, e.Body))
	case e.Status != 0 && (e.Status < 200 || e.Status > 299):
		p := problem(e, fetch.Waiting, fetch.ReasonUnknown, fmt.Sprintf("status %d: %s", e.Status, e.Body))
		p.RetryAfter = fetch.RetryAfter(e.Header["retry-after"], e.StartedAt)
		return p
	case e.Failure == fetch.FailureTooLarge:
		return problem(e, fetch.Wrong, fetch.ReasonMetadataTooLarge, e.Error)
	case e.Failure != "" || e.Status == 0:
		return problem(e, fetch.Waiting, fetch.ReasonUnknown, fmt.Sprintf("no response: %s %s", e.Failure, e.Error))
	}
	return nil
}

// unreadable is the problem of a body that no node sends.
func unreadable(e fetch.Exchange, err error) *fetch.Problem {
	return problem(e, fetch.Waiting, fetch.ReasonUnknown, "not the answer of a node: "+err.Error())
}

// detailMax bounds, in bytes, what is quoted from a response.
const detailMax = 300

// problem says what was asked, and what came.
func problem(e fetch.Exchange, severity fetch.Severity, reason fetch.Reason, what string) *fetch.Problem {
	if len(what) > detailMax {
		what = what[:detailMax] + "…" // half a character at the end is not storable, and goes
	}
	return &fetch.Problem{Severity: severity, Reason: reason, Detail: storable(fmt.Sprintf("%s %s: %s", e.Method, e.URL, what))}
}
