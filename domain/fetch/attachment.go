package fetch

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"strata/domain/hash"
	"strata/domain/transaction/key"
)

const attachmentHashLength = 20 // bytes

// AttachmentWant returns the want for the content of an attachment.
func AttachmentWant(h hash.Hash20) Want {
	return Want{Kind: Attachment, Hash: hex.EncodeToString(h[:])}
}

// AttachmentHash returns the hash of a want of kind Attachment.
func (w Want) AttachmentHash() (h hash.Hash20, ok bool) {
	b, err := hex.DecodeString(w.Hash)
	if w.Kind != Attachment || err != nil || len(b) != attachmentHashLength {
		return h, false
	}
	return hash.Hash20(b), true
}

// AttachmentIn returns the content with the given hash in the body of a node's answer; ok is false if the body holds no
// such content. Nodes answer JSON with the content in hex; their documentation and their versions differ in where, and
// some answer the bytes themselves. The hash decides.
func AttachmentIn(body []byte, h hash.Hash20) (content []byte, ok bool) {
	candidates := [][]byte{body}
	var answer struct {
		Attachment json.RawMessage `json:"attachment"`
	}
	if json.Unmarshal(body, &answer) == nil && answer.Attachment != nil {
		var inner struct {
			Content string `json:"content"`
		}
		var text string
		if json.Unmarshal(answer.Attachment, &text) != nil && json.Unmarshal(answer.Attachment, &inner) == nil {
			text = inner.Content
		}
		if decoded, err := hex.DecodeString(string(bytes.TrimPrefix([]byte(text), []byte("0x")))); err == nil {
			candidates = append(candidates, decoded)
		}
	}
	for _, candidate := range candidates {
		if key.Hash160(candidate) == h {
			return candidate, true
		}
	}
	return nil, false
}

// AttachmentContent returns the content that a report of kind Attachment brought, with the index of its exchange, or
// the problem that prevented it. Content with another hash is refused.
func (r *Report) AttachmentContent() (content []byte, exchange int, problem *Problem) {
	h, ok := r.Want.AttachmentHash()
	if !ok {
		return nil, 0, &Problem{Severity: Absent, Reason: ReasonUnknown, Detail: "the report is about no attachment"}
	}
	problem = &Problem{Severity: Waiting, Reason: ReasonNodeAway, Detail: "no node was asked"}
	for i := range r.Exchanges {
		e := &r.Exchanges[i]
		if e.Failure == "" && e.Status == statusOK {
			if content, ok := AttachmentIn(e.Body, h); ok {
				return content, i, nil
			}
		}
		// The most telling of the failures counts: a node without the attachment says more than one that is away.
		if p := e.attachmentProblem(); p.Severity > problem.Severity || p.Severity == problem.Severity && p.Reason != ReasonNotServed {
			problem = p
		}
	}
	return nil, 0, problem
}

// attachmentProblem says why an exchange brought no attachment.
func (e *Exchange) attachmentProblem() *Problem {
	p := &Problem{Severity: Waiting, Reason: ReasonNodeAway, Detail: fmt.Sprintf("GET %s: status %d", e.URL, e.Status)}
	switch {
	case e.Failure == FailureTooLarge:
		p.Severity, p.Reason, p.Detail = Absent, ReasonOtherHash, fmt.Sprintf("GET %s: %s", e.URL, e.Error)
	case e.Failure != "":
		p.Detail = fmt.Sprintf("GET %s: %s", e.URL, e.Error)
	case e.Status == statusTooManyRequests:
		p.RetryAfter = RetryAfter(e.Header["retry-after"], e.StartedAt)
	case e.Status == statusOK:
		p.Severity, p.Reason = Absent, ReasonOtherHash
	case e.NotServed():
		p.Severity, p.Reason = Absent, ReasonNotServed
	}
	return p
}

// NotServed reports whether the status says that this node does not have what it was asked for, or does not offer it.
func (e *Exchange) NotServed() bool {
	return e.Status >= 300 && e.Status < statusInternalServerError && e.Status != statusTooManyRequests || e.Status == statusNotImplemented
}
