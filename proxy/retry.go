package proxy

import (
	"bytes"
	"net/http"

	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
)

// again decides whether another node is asked after a try. What cost no node anything is free; the rest takes from the
// budget. sent is how many nodes have had the request.
func (p *Proxy) again(x *exchange, t tried, sent int) bool {
	switch {
	case t.outcome == pool.Unconnected:
		return true
	case t.outcome == pool.Cancelled, !x.endpoint.Safe, sent >= triesMax:
		return false
	case t.answer == nil:
		// A heavy request that takes too long on one node would do so on the next.
		return t.outcome.Failed() && (t.outcome != pool.Timeout || x.endpoint.Cost != policy.Heavy) && p.budget.Retry()
	case t.answer.rest != nil:
		return false
	case t.answer.status == http.StatusNotImplemented:
		p.lacks(x, t)
		return true // it is not asked again for a while
	}
	return anotherMayKnow(x, t.answer, sent) && p.budget.Retry()
}

func (p *Proxy) lacks(x *exchange, t tried) {
	for _, n := range p.pool.Nodes() {
		if n.Bit&t.nodes != 0 && n.Name == t.answer.node {
			n.Lacks(x.endpoint)
		}
	}
}

// anotherMayKnow says whether an answer is about the node rather than about the request. All other answers below 500 are
// the client's.
func anotherMayKnow(x *exchange, a *answer, sent int) bool {
	switch {
	case a.status >= 500, a.status == http.StatusTooManyRequests:
		return true
	case a.status == http.StatusNotFound && x.endpoint.Kind == policy.Unconfirmed:
		return true // each node has a mempool of its own
	case a.status == http.StatusNotFound && x.pinned:
		return bytes.Contains(a.body, []byte("Chain tip")) // a block that this one doesn't have yet
	case a.status == http.StatusBadRequest && x.endpoint.Kind == policy.Estimate:
		// Each node has seen other fees, and some don't estimate at all.
		return sent == 1 && (bytes.Contains(a.body, []byte("NoEstimateAvailable")) ||
			bytes.Contains(a.body, []byte("Fee estimation not supported")))
	}
	return false
}
