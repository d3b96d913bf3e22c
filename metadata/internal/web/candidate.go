package web

import (
	"net/http"
	"slices"
	"time"

	"strata/domain/fetch"
)

// Candidate is one way to a document or an image.
type Candidate struct {
	// URL to ask: http or https.
	URL string
	// Gateway is the base URL of the gateway that URL belongs to; empty when a URI is asked as it is.
	Gateway string
}

// inOrder puts gateways that are not due yet behind all others, the one that is due first in front.
func (c *Client) inOrder(candidates []Candidate) []Candidate {
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
				s.due = later(s.due, c.hosts.closedUntil(hostName(address)))
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

// definite says whether no other candidate would answer better.
func definite(candidate Candidate, e *fetch.Exchange) bool {
	switch {
	case e.Status >= 200 && e.Status <= 299:
		return e.Failure == "" || e.Failure == fetch.FailureTooLarge
	case e.Status == http.StatusNotFound, e.Status == http.StatusGone:
		return e.Failure == "" && candidate.Gateway == ""
	}
	return false
}

// telling ranks exchanges without a definite answer by how much they say about the thing that was wanted:
//
//	0  a way that can't be gone: refused, too many redirects, a bad URI
//	1  429: to be asked later
//	2  no connection, or a cut one
//	3  a timeout: the host works on it, or should
//	4  5xx, and statuses that make no sense here
//	5  4xx: the host has an opinion
//	6  404, 410: the host says that there is no such thing
func telling(e *fetch.Exchange) int {
	switch e.Failure {
	case fetch.FailureRefused, fetch.FailureRedirects, fetch.FailureURI:
		return 0
	case fetch.FailureConnection:
		return 2
	case fetch.FailureTimeout:
		return 3
	}
	switch {
	case e.Status == http.StatusTooManyRequests:
		return 1
	case e.Status == http.StatusNotFound, e.Status == http.StatusGone:
		return 6
	case e.Status >= 400 && e.Status <= 499:
		return 5
	}
	return 4
}

// mostTellingLast moves the most telling exchange to the end; of several the latest.
func mostTellingLast(exchanges []fetch.Exchange) {
	best := 0
	for i := range exchanges {
		if telling(&exchanges[i]) >= telling(&exchanges[best]) {
			best = i
		}
	}
	if len(exchanges) > 0 {
		e := exchanges[best]
		copy(exchanges[best:], exchanges[best+1:])
		exchanges[len(exchanges)-1] = e
	}
}
