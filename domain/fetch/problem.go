package fetch

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Severity says how soon it makes sense to try again.
type Severity int16

// Severities.
const (
	// Waiting: nobody is at fault, such as a node that does not answer or a host that asks for patience. It costs no
	// attempt: an outage never makes a token fail.
	Waiting Severity = iota
	// Troubled: the other side may well recover, such as a server's error.
	Troubled
	// Wrong: it stays as it is until its owner mends it.
	Wrong
)

// Problem is why an attempt failed.
type Problem struct {
	Severity Severity
	Reason   Reason
	// Detail is for people: what was asked, and what came.
	Detail string
	// RetryAfter is how long the other side asked to be left alone; 0 when it did not.
	RetryAfter time.Duration
}

// RetryAfterMax bounds what a server may ask for.
const RetryAfterMax = time.Hour

var (
	waits    = []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute}
	troubles = []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
	wrongs   = []time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
)

// Delay is how long to wait after the given number of failed attempts, 1 for the first.
func (p *Problem) Delay(failed int) time.Duration {
	steps := wrongs
	switch p.Severity {
	case Waiting:
		steps = waits
	case Troubled:
		steps = troubles
	}
	delay := steps[min(max(failed, 1), len(steps))-1]
	return max(delay, min(p.RetryAfter, RetryAfterMax))
}

// Statuses of HTTP (RFC 9110) that say more than their class.
const (
	statusForbidden       = 403 // often a gateway or a guard against robots that has a bad day
	statusRequestTimeout  = 408
	statusTooManyRequests = 429
)

// reasons of what a document and an image have in common.
type reasons struct{ tooLarge, timeout, unparsable, http Reason }

var reasonsOf = map[Kind]reasons{
	Document: {ReasonMetadataTooLarge, ReasonMetadataTimeout, ReasonMetadataUnparsable, ReasonMetadataHTTP},
	Image:    {ReasonImageTooLarge, ReasonImageTimeout, ReasonImageUnparsable, ReasonImageHTTP},
}

// ResourceBody is the body of the document or image that was wanted, or why it did not come.
func (r *Report) ResourceBody() ([]byte, *Problem) {
	of := reasonsOf[r.Want.Kind]
	e, ok := r.Last()
	if !ok {
		return nil, &Problem{Severity: Waiting, Reason: ReasonUnknown, Detail: "nothing was asked"}
	}
	problem := func(severity Severity, reason Reason) *Problem {
		p := &Problem{Severity: severity, Reason: reason, Detail: fmt.Sprintf("GET %s: status %d", e.URL, e.Status)}
		if e.Error != "" {
			p.Detail = fmt.Sprintf("GET %s: %s", e.URL, e.Error)
		}
		return p
	}
	switch e.Failure {
	case "":
	case FailureTimeout:
		return nil, problem(Troubled, of.timeout)
	case FailureTooLarge:
		return nil, problem(Wrong, of.tooLarge)
	case FailureRefused:
		return nil, problem(Wrong, ReasonRefused)
	case FailureURI, FailureImage:
		return nil, problem(Wrong, of.unparsable)
	case FailureConnection:
		return nil, problem(Troubled, of.http)
	default:
		return nil, problem(Wrong, of.http)
	}
	switch {
	case e.Status == statusTooManyRequests:
		p := problem(Waiting, of.http)
		p.RetryAfter = RetryAfter(e.Header["retry-after"], e.StartedAt)
		return nil, p
	case e.Status >= 500 || e.Status == statusRequestTimeout || e.Status == statusForbidden:
		return nil, problem(Troubled, of.http)
	case e.Status < 200 || e.Status > 299:
		return nil, problem(Wrong, of.http)
	}
	return e.Body, nil
}

// RetryAfter reads the header of that name (RFC 9110 10.2.3): seconds, or a date, which is compared with now. It is 0
// when there is none, or it is past, and RetryAfterMax at most.
func RetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, RetryAfterMax)
	}
	var at time.Time
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if t, err := time.Parse(layout, header); err == nil {
			at = t
			break
		}
	}
	wait := at.Sub(now)
	if wait <= 0 {
		return 0
	}
	// A date has whole seconds: rather one too late than one too early.
	return min((wait + time.Second - 1).Truncate(time.Second), RetryAfterMax)
}
