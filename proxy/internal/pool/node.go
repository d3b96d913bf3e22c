package pool

import (
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"strata/proxy/internal/client"
	"strata/proxy/internal/policy"
)

// idleTimeout is how long the pool keeps an unused connection to a node. The node itself closes it after 15 s.
const idleTimeout = 10 * time.Second

// Node is a node of a pool.
type Node struct {
	Name   string
	URL    string
	Client *client.Client
	// Bit stands for the node in sets of nodes.
	Bit uint64

	weight   float64
	ejection *ejection
	latency  [policy.Costs]latency

	standing   atomic.Int32 // a State, but never Ejected, which is independent of the standing
	height     atomic.Int64 // of its tip; -1 if unknown
	raises     atomic.Int64 // how often an answer has raised height
	burnHeight atomic.Int64 // of its Bitcoin tip; -1 if unknown
	load       atomic.Int64 // sum of the weights of its in-flight requests
	inFlight   atomic.Int64
	// verified means that the node has reported the right chain.
	verified atomic.Bool
	// unsupported has, for each endpoint, the time until which the node counts as not supporting it, in nanoseconds of the
	// Unix epoch.
	unsupported []atomic.Int64
	tipHistory  atomic.Pointer[tipHistory]

	seats, heavySeats *semaphore.Weighted
	queued            atomic.Int64

	// The pool's lock guards the fields below.
	info         *nodeInfo
	missedProbes int // probes in a row without an answer
	burnBehind   int // probes in a row at which its Bitcoin tip was behind
	vouched      bool
	probeError   string // why it is down
	state        State
	since        time.Time
}

func newNode(config Config, address Address, index int, changed func()) *Node {
	n := &Node{
		Name: address.Name, URL: address.URL.String(), Bit: 1 << index, weight: address.Weight,
		Client: client.New(client.Config{
			URL: address.URL, ConnectTimeout: config.ConnectTimeout, IdleTimeout: idleTimeout, IdleMax: config.Concurrency,
		}),
		ejection:    newEjection(changed),
		unsupported: make([]atomic.Int64, policy.Count()),
		seats:       semaphore.NewWeighted(int64(config.Concurrency)),
		heavySeats:  semaphore.NewWeighted(int64(config.HeavyConcurrency)),
		state:       Unasked, since: time.Now(),
	}
	n.standing.Store(int32(Unasked))
	n.height.Store(-1)
	n.burnHeight.Store(-1)
	n.tipHistory.Store(&tipHistory{})
	return n
}

// unsupportedTime is how long the pool prefers other nodes for an endpoint after a node answered 501 to it.
const unsupportedTime = time.Minute

// MarkUnsupported records that the node does not support an endpoint.
func (n *Node) MarkUnsupported(e *policy.Endpoint) {
	n.unsupported[e.Index].Store(time.Now().Add(unsupportedTime).UnixNano())
}

func (n *Node) unsupportedNow(e *policy.Endpoint, now time.Time) bool {
	until := n.unsupported[e.Index].Load()
	return until != 0 && now.UnixNano() < until
}

// Height returns the height of the node's tip; -1 if unknown.
func (n *Node) Height() int64 { return n.height.Load() }

// BurnHeight returns the height of the node's Bitcoin tip; -1 if unknown.
func (n *Node) BurnHeight() int64 { return n.burnHeight.Load() }

// score estimates how long a request would take on this node: its load, times its latency, divided by its share of
// requests. The node with the lower score is the better choice.
func (n *Node) score(e *policy.Endpoint, now time.Time, slowStart time.Duration) float64 {
	share := n.weight
	if admitted := n.ejection.admitted.Load(); admitted != 0 {
		if age := now.UnixNano() - admitted; age < int64(slowStart) {
			share *= max(0.1, float64(age)/float64(slowStart))
		}
	}
	return float64(n.load.Load()+e.Cost.Weight()) * n.latency[e.Cost].value(now) / share
}
