package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"strata/domain/fetch"
)

// Candidate is a place from which a document or image can be fetched.
type Candidate struct {
	// URL has the scheme http or https.
	URL string
	// Gateway is the base URL of the gateway that URL belongs to; empty if URL is the resource's own URI.
	Gateway string
}

// path returns the URL without the base URL of its gateway.
func (c Candidate) path() string { return strings.TrimPrefix(c.URL, strings.TrimRight(c.Gateway, "/")) }

// demotedLast returns the candidates with those of demoted gateways and paused hosts behind all others, ordered by the
// time at which they are due again.
func (c *Client) demotedLast(candidates []Candidate) []Candidate {
	type scheduled struct {
		Candidate
		due time.Time
	}
	now := c.hosts.now()
	list := make([]scheduled, 0, len(candidates))
	for _, candidate := range candidates {
		s := scheduled{Candidate: candidate}
		if candidate.Gateway != "" {
			s.due = c.gateways.due(candidate.Gateway)
			if address, err := parse(candidate.URL); err == nil {
				s.due = later(s.due, c.hosts.pausedUntil(hostName(address)))
			}
			if !s.due.After(now) {
				s.due = time.Time{}
			}
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b scheduled) int { return a.due.Compare(b.due) })
	ordered := make([]Candidate, 0, len(list))
	for _, s := range list {
		ordered = append(ordered, s.Candidate)
	}
	return ordered
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func isSuccess(status int) bool { return status >= 200 && status <= 299 }

// isDefinite reports whether no other candidate could give a better answer.
func isDefinite(candidate Candidate, e *fetch.Exchange) bool {
	switch {
	case isSuccess(e.Status):
		return e.Failure == "" || e.Failure == fetch.FailureTooLarge || e.Failure == fetch.FailureFormat
	case e.Status == http.StatusNotFound, e.Status == http.StatusGone:
		return e.Failure == "" && candidate.Gateway == ""
	}
	return false
}

// rank ranks exchanges by how much they tell about the resource:
//
//	0  the request could not be made: refused address, too many redirects, bad URI
//	1  2xx with a body that has failed the check, so only if all hosts have answered so is it the resource's fault
//	2  429: try later
//	3  no connection, or a broken one
//	4  a timeout: the host may have the resource
//	5  5xx, and statuses that make no sense here
//	6  4xx: the host rejects the request
//	7  404, 410: the host does not have the resource
func rank(e *fetch.Exchange) int {
	switch e.Failure {
	case fetch.FailureRefused, fetch.FailureRedirects, fetch.FailureURI:
		return 0
	case fetch.FailureConnection:
		return 3
	case fetch.FailureTimeout:
		return 4
	}
	switch {
	case isSuccess(e.Status):
		return 1
	case e.Status == http.StatusTooManyRequests:
		return 2
	case e.Status == http.StatusNotFound, e.Status == http.StatusGone:
		return 7
	case e.Status >= 400 && e.Status <= 499:
		return 6
	}
	return 5
}

// mostInformativeLast moves the most informative exchange to the end, and the latest of several.
func mostInformativeLast(exchanges []fetch.Exchange) {
	best := 0
	for i := range exchanges {
		if rank(&exchanges[i]) >= rank(&exchanges[best]) {
			best = i
		}
	}
	if len(exchanges) > 0 {
		e := exchanges[best]
		copy(exchanges[best:], exchanges[best+1:])
		exchanges[len(exchanges)-1] = e
	}
}
