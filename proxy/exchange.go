package proxy

import (
	"bytes"
	"time"

	"strata/domain/hash"
	"strata/proxy/internal/client"
	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
)

// exchange is a client's request and its outcome.
type exchange struct {
	start    time.Time
	endpoint *policy.Endpoint
	// request is what the proxy sends to nodes.
	request client.Request
	path    string // decoded
	// bodyBytes is the memory that the request's body has taken from memory.bodies.
	bodyBytes int64
	// tip is the block at which the request reads the state; valid if pinned.
	tip    hash.Hash32
	pinned bool
	// only is the node that the client named; nil if it named none.
	only *pool.Node

	// The outcome, for logs and metrics.
	source source
	status int
	bytes  int64
	node   string
	tries  int
}

// source says where an answer came from.
type source uint8

const (
	fromProxy  source = iota // the proxy itself: a refusal, or the error that no node answered
	fromNode                 // a node, for this request
	fromShared               // a node, for an identical in-flight request
	fromCache
	sources // number of sources
)

func (s source) String() string {
	return [...]string{fromProxy: "proxy", fromNode: "node", fromShared: "shared", fromCache: "cache"}[s]
}

// lifetime returns how long the answer stays true.
func (x *exchange) lifetime() policy.Lifetime {
	switch {
	case x.pinned:
		return x.endpoint.Pinned
	case x.endpoint.Lifetime == policy.Immutable && !policy.IsHash(policy.LastSegment(x.path)):
		return policy.None
	}
	return x.endpoint.Lifetime
}

// lifetimeOf returns how long an answer stays true. The failure of a read-only call may come from the limits of one node,
// so another one's answer may differ even at the same block.
func (x *exchange) lifetimeOf(a *answer) policy.Lifetime {
	lifetime := x.lifetime()
	if lifetime == policy.Immutable && x.endpoint.Kind == policy.Call && !bytes.Contains(a.body[:min(len(a.body), okayWithin)], []byte(`"okay":true`)) {
		return policy.Tip
	}
	return lifetime
}

// okayWithin is the length of the first part of a call's answer in which a node says whether the call succeeded.
const okayWithin = 64
