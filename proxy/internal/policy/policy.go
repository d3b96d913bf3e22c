// Package policy says for each endpoint of a Stacks node how a request for it is handled: what it costs, whether it may
// be sent twice, how long an answer stays true, and whether the public may call it at all.
package policy

// Cost is what a request costs a node, whose RPC server has a single thread.
type Cost uint8

// Costs.
const (
	Light  Cost = iota // memory, or one look-up
	Medium             // a few reads of the state
	Heavy              // runs Clarity, or walks much data
	Costs              // how many there are
)

// Weight is the cost as a number that loads are summed of.
func (c Cost) Weight() int64 { return [...]int64{Light: 1, Medium: 2, Heavy: 8}[c] }

func (c Cost) String() string {
	return [...]string{Light: "light", Medium: "medium", Heavy: "heavy"}[c]
}

// Lifetime is how long an answer of status 200 stays true.
type Lifetime uint8

// Lifetimes.
const (
	None      Lifetime = iota // it is not kept
	Second                    // what clients poll for progress
	Tip                       // until the next Stacks block
	Burn                      // until the next Bitcoin block
	Immutable                 // for ever: it is about a block that is named by its id
)

// Kind is whether an endpoint needs more than to be forwarded.
type Kind uint8

// Kinds.
const (
	Plain       Kind = iota
	Broadcast        // takes a transaction
	Estimate         // estimates a fee, from what the node has seen itself
	Unconfirmed      // looks in the node's own mempool
	Confirmed        // needs the node's index of transactions
)

// Endpoint is a path of a node, with how to handle it.
type Endpoint struct {
	// Name is the path with placeholders; it stands for the endpoint in metrics.
	Name   string
	Method string
	Cost   Cost
	// Safe says that a request may be sent again, and to any node, as it changes nothing.
	Safe bool
	// Hedge says that a slow request may be sent to a second node.
	Hedge bool
	// Lifetime of an answer; Pinned instead when the request names the tip of the state that it reads.
	Lifetime, Pinned Lifetime
	// Operator says that the endpoint is for who runs the node, or tells the node's neighbourhood.
	Operator bool
	// Authorized says that the client's Authorization is for the node.
	Authorized bool
	// PerNode says that the answer is about the one node, so that the client may name it.
	PerNode bool
	Kind    Kind
	// Index is the endpoint's number, less than Count.
	Index int
}

// Shared says whether identical requests at the same time may have one answer.
func (e *Endpoint) Shared() bool {
	return e.Safe && !e.PerNode && !e.Authorized && e.Kind != Unconfirmed
}
