package token

import (
	"fmt"

	"strata/domain/fetch"
)

// statusOverBudget is a node's status for a call that exceeds its budget. The next call of the same function would,
// too.
const statusOverBudget = 400

// failure returns the problem of an exchange with a node that has no body to read; nil if it has one. See the table at
// valueOf.
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

// unreadable returns the problem of a body that does not come from a node.
func unreadable(e fetch.Exchange, err error) *fetch.Problem {
	return problem(e, fetch.Waiting, fetch.ReasonUnknown, "not the answer of a node: "+err.Error())
}

// detailMax is the maximum length, in bytes, of a quotation from a response.
const detailMax = 300

// problem returns a problem whose detail names the request and quotes the response.
func problem(e fetch.Exchange, severity fetch.Severity, reason fetch.Reason, quotation string) *fetch.Problem {
	if len(quotation) > detailMax {
		quotation = quotation[:detailMax] + "…" // storable removes half a character before the ellipsis
	}
	detail := storable(fmt.Sprintf("%s %s: %s", e.Method, e.URL, quotation))
	return &fetch.Problem{Severity: severity, Reason: reason, Detail: detail}
}
