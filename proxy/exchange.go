package proxy

import (
	"time"

	"strata/domain/hash"
	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
	"strata/proxy/internal/wire"
)

// exchange is a client's request and what becomes of it.
type exchange struct {
	start    time.Time
	endpoint *policy.Endpoint
	// request is what nodes get.
	request wire.Request
	path    string // decoded
	// tip is the block that the request pins the state to, if pinned.
	tip    hash.Hash32
	pinned bool
	// only is the node that the client has named; nil: any.
	only *pool.Node

	// What is told about it in the end.
	source source
	status int
	bytes  int64
	node   string
	tries  int
	// values is memory for those of the answer's header fields.
	values [6]string
}

// source is where an answer came from.
type source uint8

const (
	fromProxy  source = iota // its own: a refusal, or that no node answers
	fromNode                 // asked for this request
	fromOthers               // asked for an identical request at the same time
	fromCache
	sources // how many there are
)

func (s source) String() string {
	return [...]string{fromProxy: "proxy", fromNode: "node", fromOthers: "shared", fromCache: "cache"}[s]
}

// lifetime is how long the answer stays true.
func (x *exchange) lifetime() policy.Lifetime {
	switch {
	case x.pinned:
		return x.endpoint.Pinned
	case x.endpoint.Lifetime == policy.Immutable && !policy.IsHash(policy.Last(x.path)):
		return policy.None
	}
	return x.endpoint.Lifetime
}
