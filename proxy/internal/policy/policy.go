// Package policy defines, for each endpoint of a Stacks node, how the proxy handles a request: how much work it is for
// the node, whether it may be sent twice, how long an answer stays true, and whether the public may call it at all.
package policy

// Cost says how much work a request is for a node, whose RPC server has a single thread.
type Cost uint8

// Costs of a request.
const (
	Light  Cost = iota // reads memory, or does one look-up
	Medium             // does a few reads of the state
	Heavy              // runs Clarity, or reads much data
	Costs              // number of costs
)

// Weight returns the cost as a number. The sum of the weights of its in-flight requests is a node's load.
func (c Cost) Weight() int64 { return [...]int64{Light: 1, Medium: 2, Heavy: 8}[c] }

func (c Cost) String() string {
	return [...]string{Light: "light", Medium: "medium", Heavy: "heavy"}[c]
}

// Lifetime says how long an answer of status 200 stays true.
type Lifetime uint8

// Lifetimes of an answer.
const (
	None      Lifetime = iota // the answer is not cached
	Second                    // for a second; clients poll it for progress
	Tip                       // until the next Stacks block
	Burn                      // until the next Bitcoin block
	Immutable                 // for ever, because the request names a block by its id
)

// Kind distinguishes endpoints that need more than forwarding.
type Kind uint8

// Kinds of endpoints.
const (
	Plain       Kind = iota
	Broadcast        // accepts a transaction
	Estimate         // estimates a fee, from the fees that the node has seen
	Unconfirmed      // looks in the node's own mempool
	Confirmed        // needs the node's index of transactions
	Call             // runs a read-only function, and reports its failure with status 200
)

// Endpoint describes how to handle requests for one path and method of a node.
type Endpoint struct {
	// Name is the path with placeholders. It identifies the endpoint in metrics.
	Name   string
	Method string
	Cost   Cost
	// Safe means that a request changes nothing, so it may be sent again, and to any node.
	Safe bool
	// Hedge means that a slow request may be sent to a second node as well.
	Hedge bool
	// Lifetime is that of an answer; Pinned replaces it if the request names the tip of the state that it reads.
	Lifetime, Pinned Lifetime
	// Why says what a node derives from the tip in a request, and so why Pinned is right; empty if a node ignores tip.
	Why string
	// Operator marks an endpoint that is meant for the node's operator.
	Operator bool
	// Authorized means that the client's Authorization is meant for the node, and is forwarded.
	Authorized bool
	// PerNode means that the answer is about the one node that gives it, so the client may name the node.
	PerNode bool
	Kind    Kind
	// BodyMax is the maximum size of a request body in bytes, where the endpoint can do with less than the configured limit;
	// otherwise 0.
	BodyMax int64
	// Index is the endpoint's number, from 0 to Count()-1.
	Index int
}

// Shared reports whether identical in-flight requests may share one answer.
func (e *Endpoint) Shared() bool {
	return e.Safe && !e.PerNode && !e.Authorized && e.Kind != Unconfirmed
}
