package proxy

import (
	"bytes"
	"net/http"

	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
)

// shouldRetry decides whether another attempt follows t. sent is the number of nodes that got the request. A retry is
// free if t cost its node nothing; any other takes from the retry budget.
func (p *Proxy) shouldRetry(x *exchange, t attempt, sent int) bool {
	switch {
	case t.outcome == pool.Unconnected:
		return true
	case t.outcome == pool.Cancelled, !x.endpoint.Safe, sent >= triesMax:
		return false
	case t.answer == nil:
		// A heavy request that times out on one node would time out on the next.
		return t.outcome.Failed() && (t.outcome != pool.Timeout || x.endpoint.Cost != policy.Heavy) && p.budget.retry()
	case t.answer.rest != nil:
		return false
	case t.answer.status == http.StatusNotImplemented:
		p.markUnsupported(x, t)
		return true // free, because the pool avoids this node for this endpoint for a while
	}
	return anotherNodeMayKnow(x, t.answer, sent) && p.budget.retry()
}

// markUnsupported tells the pool that the node which gave t's answer does not support the endpoint.
func (p *Proxy) markUnsupported(x *exchange, t attempt) {
	for _, n := range p.pool.Nodes() {
		if n.Bit&t.nodes != 0 && n.Name == t.answer.node {
			n.MarkUnsupported(x.endpoint)
		}
	}
}

// anotherNodeMayKnow reports whether an answer is about the node rather than the request, so that another node may
// answer better.
func anotherNodeMayKnow(x *exchange, a *answer, sent int) bool {
	switch {
	case a.status >= 500, a.status == http.StatusTooManyRequests:
		return true
	case a.status == http.StatusNotFound && x.endpoint.Kind == policy.Unconfirmed:
		return true // each node has its own mempool
	case a.status == http.StatusNotFound && x.pinned:
		return bytes.Contains(a.body, []byte("Chain tip")) // the node doesn't have this block yet
	case a.status == http.StatusBadRequest && x.endpoint.Kind == policy.Estimate:
		// Nodes estimate from the fees that they have seen, and some don't estimate at all.
		return sent == 1 && (bytes.Contains(a.body, []byte("NoEstimateAvailable")) ||
			bytes.Contains(a.body, []byte("Fee estimation not supported")))
	}
	return false
}
