package fetch

import (
	"bytes"
	"time"
)

// Unchanged names the earlier report that has the body of the last response or, of a contract read, the answers to all
// calls. The log proves what that report says.
type Unchanged struct {
	// Seq is the event of that report.
	Seq int64 `json:"seq"`
}

// unchangedLeast is the size of the smallest body of a document or an image that a report leaves out, in bytes: naming
// another event is not much shorter.
const unchangedLeast = 256

// LeaveOut replaces what a report brings by the event of an earlier report on the same want, if that brought the same: then
// the report costs the log a few hundred bytes. It reports whether it did.
func (r *Report) LeaveOut(known *Report, seq int64) bool {
	if known.Want.Key() != r.Want.Key() || !r.same(known) {
		return false
	}
	last := len(r.Exchanges) - 1
	short := Exchange{Gateway: r.Exchanges[last].Gateway, Status: r.Exchanges[last].Status, Unchanged: &Unchanged{Seq: seq}}
	if r.Want.Kind == ContractRead {
		last = 0
	}
	r.Exchanges = append(r.Exchanges[:last:last], short)
	r.Image = nil
	r.StartedAt, r.FinishedAt = r.StartedAt.Truncate(time.Microsecond), r.FinishedAt.Truncate(time.Microsecond)
	return true
}

// same reports whether two reports on the same want brought the same.
func (r *Report) same(known *Report) bool {
	switch r.Want.Kind {
	case Document, Image:
		body, problem := r.ResourceBody()
		if problem != nil || len(body) < unchangedLeast {
			return false
		}
		before, problem := known.ResourceBody()
		return problem == nil && bytes.Equal(before, body) && (r.Want.Kind == Document || r.Image != nil && known.Image != nil && *r.Image == *known.Image)
	case ContractRead:
		for i := range r.Want.Calls {
			e, answered := r.LastOf(i)
			before, answeredBefore := known.LastOf(i)
			if !answered || !answeredBefore || !e.complete() || !before.complete() || !bytes.Equal(e.Body, before.Body) {
				return false
			}
		}
		return true
	}
	return false
}

// complete reports whether an exchange has the body of a node's answer.
func (e *Exchange) complete() bool { return e.NodeProblem() == nil && e.Body != nil }

// UnchangedSince returns the event whose report has what this one found unchanged; ok is false if it is here, or there is
// nothing.
func (r *Report) UnchangedSince() (seq int64, ok bool) {
	if e, ok := r.Last(); ok && e.Unchanged != nil {
		return e.Unchanged.Seq, true
	}
	return 0, false
}
