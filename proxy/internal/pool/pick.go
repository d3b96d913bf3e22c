package pool

import (
	"context"
	"errors"
	"time"

	"strata/proxy/internal/policy"
)

// ErrNone is returned when no permitted node is left for a request.
var ErrNone = errors.New("no node is left to try")

// ErrBusy is returned when the permitted nodes are busy and the queue is full or the wait timed out.
var ErrBusy = errors.New("nodes are busy")

// Want says what a request needs from a node. Sets of nodes are made of their bits.
type Want struct {
	Endpoint *policy.Endpoint
	// Excluded is the set of nodes that must not get the request.
	Excluded uint64
	// Preferred is the set of nodes to use rather than other usable ones; 0 for no preference.
	Preferred uint64
	// Safe means that the request may be the trial request of an ejected node.
	Safe bool
	// Spare marks an extra request, which only a serving node with a free seat takes.
	Spare bool
}

// candidates are the nodes that a request may go to. All have the same rank.
type candidates struct {
	nodes [NodesMax]*Node
	count int
	rank  int
}

// Pick chooses the node for a request and takes a seat there. It waits if no seat is free. The caller must leave the
// seat. Errors are ErrNone, ErrBusy and the error of ctx.
func (p *Pool) Pick(ctx context.Context, w Want) (Seat, error) {
	refused := uint64(0) // nodes whose trial another request has taken
	until := time.Now().Add(p.config.QueueWait)
	for force := false; ; {
		now := time.Now()
		var c candidates
		p.choose(&c, w, refused, now)
		switch {
		case c.count == 0 && refused != 0:
			force, refused = true, 0
			continue
		case c.count == 0:
			return Seat{}, ErrNone
		case w.Spare && c.rank > rankServing:
			return Seat{}, ErrNone
		}
		n, err := p.acquire(ctx, &c, w, now, until)
		if err != nil {
			return Seat{}, err
		}
		if p.rank(n) == rankNever { // it turned out to be foreign while the request waited
			n.release(w.Endpoint.Cost)
			continue
		}
		if granted, ok := n.ejection.ask(w.Safe, force || c.rank >= rankDown); ok {
			return p.newSeat(n, w.Endpoint, granted), nil
		}
		n.release(w.Endpoint.Cost)
		refused |= n.Bit
	}
}

// acquire takes a slot at the best candidate that has one free. If none has, it waits for the best candidate
// until a time.
func (p *Pool) acquire(ctx context.Context, c *candidates, w Want, now, until time.Time) (*Node, error) {
	e := w.Endpoint
	best := p.best(c, e, now)
	if best.tryAcquire(e.Cost) {
		return best, nil
	}
	for _, n := range c.nodes[:c.count] {
		if n != best && n.tryAcquire(e.Cost) {
			return n, nil
		}
	}
	if w.Spare {
		return nil, ErrBusy
	}
	return best, best.wait(ctx, e.Cost, p.config.QueueLength, until)
}

// TrySeat takes a seat at node n, if one is free and the node is usable.
func (p *Pool) TrySeat(n *Node, e *policy.Endpoint) (Seat, bool) {
	if p.rank(n) >= rankDown || n.ejection.until.Load() != 0 || !n.tryAcquire(e.Cost) {
		return Seat{}, false
	}
	granted, ok := n.ejection.ask(false, false)
	if !ok {
		n.release(e.Cost)
		return Seat{}, false
	}
	return p.newSeat(n, e, granted), true
}

// Ranks of nodes, the best first. A node that does not support the endpoint ranks between two of them.
const (
	rankServing = 2 * iota
	rankBehind
	rankAhead
	rankDown
	rankNever
)

// rank returns the rank of a node, regardless of its ejection. A node that was never probed successfully may be on any
// chain, so it gets requests only if the pool allows any.
func (p *Pool) rank(n *Node) int {
	switch State(n.standing.Load()) {
	case Serving:
		return rankServing
	case Lagging, Syncing:
		return rankBehind
	case Ahead:
		return rankAhead
	case Down:
		if p.config.ChainID == 0 || n.verified.Load() {
			return rankDown
		}
	case Unasked:
		if p.config.ChainID == 0 {
			return rankBehind
		}
	case Ejected, Foreign, States:
	}
	return rankNever
}

// choose collects the preferred nodes, or all nodes if no preferred one is usable, and of these the nodes of the best
// rank.
func (p *Pool) choose(c *candidates, w Want, refused uint64, now time.Time) {
	c.rank = rankNever
	preferred := false
	for _, n := range p.nodes {
		if n.Bit&(w.Excluded|refused) != 0 {
			continue
		}
		rank := p.rank(n)
		if rank < rankDown {
			if open, trial := n.ejection.phase(now); !open && (!trial || !w.Safe) {
				rank = rankDown
			}
		}
		if rank < rankNever && n.unsupportedNow(w.Endpoint, now) {
			rank++
		}
		prefers := n.Bit&w.Preferred != 0 && rank < rankAhead
		switch {
		case rank >= rankNever, preferred && !prefers, preferred == prefers && rank > c.rank:
			continue
		case prefers && !preferred, rank < c.rank:
			c.count, c.rank, preferred = 0, rank, prefers
		}
		c.nodes[c.count] = n
		c.count++
	}
}

// best returns the best candidate: the better of two random ones if they are serving, and the one with the greatest
// height otherwise.
func (p *Pool) best(c *candidates, e *policy.Endpoint, now time.Time) *Node {
	if c.rank >= rankBehind && c.count > 1 {
		best := c.nodes[0]
		for _, n := range c.nodes[1:c.count] {
			if h, b := n.height.Load(), best.height.Load(); h > b || h == b && n.load.Load() < best.load.Load() {
				best = n
			}
		}
		return best
	}
	if c.count == 1 {
		return c.nodes[0]
	}
	i := int(p.draw(int64(c.count)))
	j := int(p.draw(int64(c.count - 1)))
	if j >= i {
		j++
	}
	a, b := c.nodes[i], c.nodes[j]
	if b.score(e, now, p.config.SlowStart) < a.score(e, now, p.config.SlowStart) {
		return b
	}
	return a
}
