package pool

import (
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"strata/proxy/internal/policy"
	"strata/proxy/internal/wire"
)

// idleTimeout is how long a connection to a node is kept unused. The node closes it after 15 s.
const idleTimeout = 10 * time.Second

// Node is one of the pool's.
type Node struct {
	Name   string
	URL    string
	Client *wire.Client
	// Bit is the node's in sets of nodes.
	Bit uint64

	weight   float64
	ejection *ejection
	latency  [policy.Costs]latency

	standing atomic.Int32 // a State; never Ejected, which is on top of it
	height   atomic.Int64 // of its tip; -1: not known
	load     atomic.Int64 // weights of the requests that it has
	inFlight atomic.Int64
	// verified says that the node has named the right chain.
	verified atomic.Bool
	// lacks has until when the node is taken to lack an endpoint, in nanoseconds of the Unix epoch.
	lacks []atomic.Int64
	trail atomic.Pointer[trail]

	seats, heavySeats *semaphore.Weighted
	queued            atomic.Int64

	// The rest belongs to the pool's lock.
	said       *info
	silent     int // probes in a row without an answer
	burnBehind int // probes in a row at which its Bitcoin tip was behind
	vouched    bool
	trouble    string // why it is down
	state      State
	since      time.Time
}

func newNode(config Config, address Address, index int, changed func()) *Node {
	n := &Node{
		Name: address.Name, URL: address.URL.String(), Bit: 1 << index, weight: address.Weight,
		Client: wire.New(wire.Config{
			URL: address.URL, ConnectTimeout: config.ConnectTimeout, IdleTimeout: idleTimeout, IdleMax: config.Concurrency,
		}),
		ejection:   newEjection(changed),
		lacks:      make([]atomic.Int64, policy.Count()),
		seats:      semaphore.NewWeighted(int64(config.Concurrency)),
		heavySeats: semaphore.NewWeighted(int64(config.HeavyConcurrency)),
		state:      Unasked, since: time.Now(),
	}
	n.standing.Store(int32(Unasked))
	n.height.Store(-1)
	n.trail.Store(&trail{})
	return n
}

// lackTime is for how long a node that answered 501 is not asked again, while others may know.
const lackTime = time.Minute

// Lacks notes that the node has an endpoint switched off.
func (n *Node) Lacks(e *policy.Endpoint) { n.lacks[e.Index].Store(time.Now().Add(lackTime).UnixNano()) }

func (n *Node) lacksNow(e *policy.Endpoint, now time.Time) bool {
	until := n.lacks[e.Index].Load()
	return until != 0 && now.UnixNano() < until
}

// Height of the node's tip; -1 if it is not known.
func (n *Node) Height() int64 { return n.height.Load() }

// score is what a request costs more here than elsewhere: the work that the node has, times the time that it takes, by
// its share.
func (n *Node) score(e *policy.Endpoint, now time.Time, slowStart time.Duration) float64 {
	share := n.weight
	if admitted := n.ejection.admitted.Load(); admitted != 0 {
		if age := now.UnixNano() - admitted; age < int64(slowStart) {
			share *= max(0.1, float64(age)/float64(slowStart))
		}
	}
	return float64(n.load.Load()+e.Cost.Weight()) * n.latency[e.Cost].value(now) / share
}
