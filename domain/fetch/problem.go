package fetch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Severity says how soon another attempt makes sense.
type Severity int16

// Severities.
const (
	// Waiting means that the failure is not the token's: a node does not answer, or a host asks for patience. It does
	// not count as an attempt, so that an outage never makes a token fail.
	Waiting Severity = iota
	// Troubled means that the other side is likely to recover, such as from a server error.
	Troubled
	// Wrong means that the failure stays until the owner of the token fixes it.
	Wrong
	// Absent means that the other side does not have it, and is unlikely ever to have it.
	Absent
	// Final means that each attempt at these bytes fails alike, and that there will be no others under this URI. So there
	// is no other attempt, unless somebody asks for one.
	Final
)

// Problem says why an attempt failed.
type Problem struct {
	Severity Severity
	Reason   Reason
	// Detail is for people: the request and the response.
	Detail string
	// RetryAfter is the delay that the other side asked for; 0 if it asked for none.
	RetryAfter time.Duration
}

// RetryAfterMax bounds the delay that a server may ask for.
const RetryAfterMax = time.Hour

// Delays after the first, second and later failed attempts, by severity. The last delay repeats.
var (
	waitingDelays  = []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute}
	troubledDelays = []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
	wrongDelays    = []time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
	absentDelays   = []time.Duration{24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour}
)

// Delay returns the time to wait after the given number of failed attempts, which counts the one that just failed.
func (p *Problem) Delay(failed int) time.Duration {
	delays := wrongDelays
	switch p.Severity {
	case Waiting:
		delays = waitingDelays
	case Troubled:
		delays = troubledDelays
	case Absent:
		delays = absentDelays
	}
	delay := delays[min(max(failed, 1), len(delays))-1]
	return max(delay, min(p.RetryAfter, RetryAfterMax))
}

// HTTP statuses (RFC 9110) that say more than their class.
const (
	statusOK                  = 200
	statusForbidden           = 403 // often a temporary refusal by a gateway or by a guard against robots
	statusRequestTimeout      = 408
	statusTooManyRequests     = 429
	statusInternalServerError = 500
	statusNotImplemented      = 501
)

// resourceReasons are the reasons of a document or an image for the same failures.
type resourceReasons struct{ tooLarge, timeout, unparsable, http Reason }

var reasonsOf = map[Kind]resourceReasons{
	Document: {ReasonMetadataTooLarge, ReasonMetadataTimeout, ReasonMetadataUnparsable, ReasonMetadataHTTP},
	Image:    {ReasonImageTooLarge, ReasonImageTimeout, ReasonImageUnparsable, ReasonImageHTTP},
}

// ResourceBody returns the body of the wanted document or image, or the problem that prevented it.
func (r *Report) ResourceBody() ([]byte, *Problem) {
	reasons := reasonsOf[r.Want.Kind]
	e, ok := r.Last()
	if !ok {
		return nil, &Problem{Severity: Waiting, Reason: ReasonUnknown, Detail: "nothing was asked"}
	}
	problem := func(severity Severity, reason Reason) *Problem {
		p := &Problem{Severity: severity, Reason: reason, Detail: fmt.Sprintf("GET %s: status %d", e.URL, e.Status)}
		if e.Error != "" {
			p.Detail = fmt.Sprintf("GET %s: %s", e.URL, e.Error)
		}
		if r.Want.inURI() {
			p.Severity = Final
		}
		return p
	}
	switch e.Failure {
	case "":
	case FailureTimeout:
		return nil, problem(Troubled, reasons.timeout)
	case FailureTooLarge:
		return nil, problem(Wrong, reasons.tooLarge)
	case FailureRefused:
		return nil, problem(Wrong, ReasonRefused)
	case FailureURI, FailureImage:
		return nil, problem(Wrong, reasons.unparsable)
	case FailureFormat:
		if r.Want.immutable() {
			return nil, problem(Final, ReasonImageUnsupported)
		}
		return nil, problem(Absent, ReasonImageUnsupported)
	case FailureConnection:
		return nil, problem(Troubled, reasons.http)
	default:
		return nil, problem(Wrong, reasons.http)
	}
	switch {
	case e.Status == statusTooManyRequests:
		p := problem(Waiting, reasons.http)
		if slices.ContainsFunc(r.Exchanges, func(e Exchange) bool { return e.Status >= 200 && e.Status <= 299 }) {
			p.Severity = Troubled // another host has answered something else, and so may this one, so the attempt counts
		}
		p.RetryAfter = RetryAfter(e.Header["retry-after"], e.StartedAt)
		return nil, p
	case e.Status >= 500 || e.Status == statusRequestTimeout || e.Status == statusForbidden:
		return nil, problem(Troubled, reasons.http)
	case e.Status < 200 || e.Status > 299:
		return nil, problem(Wrong, reasons.http)
	}
	return e.Body, nil
}

// RetryAfter parses a Retry-After header (RFC 9110 10.2.3): seconds, or a date, which it compares with now. It returns
// 0 for an empty or malformed header and for a date in the past, and at most RetryAfterMax.
func RetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, RetryAfterMax)
	}
	var date time.Time
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if t, err := time.Parse(layout, header); err == nil {
			date = t
			break
		}
	}
	wait := date.Sub(now)
	if wait <= 0 {
		return 0
	}
	// The date has whole seconds. Round up: better a second too late than too early.
	return min((wait + time.Second - 1).Truncate(time.Second), RetryAfterMax)
}
