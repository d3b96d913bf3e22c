package fetch

import (
	"fmt"
	"strings"
)

// StatusOverBudget is a node's status for a call that exceeds its budget. The next call of the same function would,
// too.
const StatusOverBudget = 400

// NodeProblem returns the problem of an exchange with a node that has no body to read; nil if it has one. See the table
// at valueOf.
func (e *Exchange) NodeProblem() *Problem {
	switch {
	case e.Status == StatusOverBudget:
		return e.Problem(Troubled, ReasonClarity, fmt.Sprintf("status %d: %s", e.Status, e.Body))
	case e.Status != 0 && (e.Status < 200 || e.Status > 299):
		p := e.Problem(Waiting, ReasonUnknown, fmt.Sprintf("status %d: %s", e.Status, e.Body))
		p.RetryAfter = RetryAfter(e.Header["retry-after"], e.StartedAt)
		return p
	case e.Failure == FailureTooLarge:
		return e.Problem(Wrong, ReasonMetadataTooLarge, e.Error)
	case e.Failure != "" || e.Status == 0:
		return e.Problem(Waiting, ReasonUnknown, fmt.Sprintf("no response: %s %s", e.Failure, e.Error))
	}
	return nil
}

// Unreadable returns the problem of a body that does not come from a node.
func (e *Exchange) Unreadable(err error) *Problem {
	return e.Problem(Waiting, ReasonUnknown, "not the answer of a node: "+err.Error())
}

// detailMax is the maximum length, in bytes, of a quotation from a response.
const detailMax = 300

// Problem returns a problem whose detail names the request and quotes the response.
func (e *Exchange) Problem(severity Severity, reason Reason, quotation string) *Problem {
	if len(quotation) > detailMax {
		quotation = quotation[:detailMax] + "…" // ToValidUTF8 removes half a character before the ellipsis
	}
	detail := fmt.Sprintf("%s %s: %s", e.Method, e.URL, quotation)
	detail = strings.ReplaceAll(strings.ToValidUTF8(detail, ""), "\x00", "")
	return &Problem{Severity: severity, Reason: reason, Detail: detail}
}
