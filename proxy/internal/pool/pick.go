package pool

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"strata/proxy/internal/policy"
)

// ErrNone is returned when no node is left that may be asked.
var ErrNone = errors.New("no node is left to ask")

// ErrBusy is returned when the nodes that may be asked have all they can do, and the queue is full or didn't move.
var ErrBusy = errors.New("nodes are busy")

// Want is what a request needs of a node.
type Want struct {
	Endpoint *policy.Endpoint
	// Tried are the nodes not to ask.
	Tried uint64
	// Preferred are the nodes to ask rather than others of use; 0: no preference.
	Preferred uint64
	// Safe says that the request may be tried on a node that has just failed.
	Safe bool
	// Spare says that the request is an extra one: a node takes it only if it serves and has room.
	Spare bool
}

// choice is the nodes that a request may go to, which are all equally good.
type choice struct {
	nodes [NodesMax]*Node
	count int
	rank  int
}

// Pick finds the node for a request and takes a seat there, which must be left. The request waits if it has to. Errors
// are ErrNone, ErrBusy, and that of ctx.
func (p *Pool) Pick(ctx context.Context, w Want) (Seat, error) {
	refused := uint64(0) // nodes whose trial somebody else has taken
	for force := false; ; {
		now := time.Now()
		var c choice
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
		n, err := p.enter(ctx, &c, w, now)
		if err != nil {
			return Seat{}, err
		}
		if admitted, ok := n.ejection.enter(force || c.rank >= rankDown); ok {
			return p.sit(n, w.Endpoint, admitted), nil
		}
		n.exit(w.Endpoint.Cost)
		refused |= n.Bit
	}
}

// enter takes a place at the best node that has one free, or waits for one at the best.
func (p *Pool) enter(ctx context.Context, c *choice, w Want, now time.Time) (*Node, error) {
	e := w.Endpoint
	best := p.best(c, e, now)
	if best.tryEnter(e.Cost) {
		return best, nil
	}
	for _, n := range c.nodes[:c.count] {
		if n != best && n.tryEnter(e.Cost) {
			return n, nil
		}
	}
	if w.Spare {
		return nil, ErrBusy
	}
	return best, best.wait(ctx, e.Cost, p.config.QueueLength, p.config.QueueWait)
}

// TrySeat takes a seat at a certain node, if one is free and the node is of use.
func (p *Pool) TrySeat(n *Node, e *policy.Endpoint) (Seat, bool) {
	if p.rank(n) >= rankDown || n.ejection.until.Load() != 0 || !n.tryEnter(e.Cost) {
		return Seat{}, false
	}
	admitted, ok := n.ejection.enter(false)
	if !ok {
		n.exit(e.Cost)
		return Seat{}, false
	}
	return p.sit(n, e, admitted), true
}

// Ranks of nodes, the better the lower. Between them is room for a node that lacks the endpoint.
const (
	rankServing = 2 * iota
	rankBehind
	rankAhead
	rankDown
	rankNever
)

// rank of a node that isn't ejected. One that was not asked yet may be on any chain, and so may one that never answered.
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

// choose finds the nodes of the best rank that there is, and among them the preferred ones.
func (p *Pool) choose(c *choice, w Want, refused uint64, now time.Time) {
	c.rank = rankNever
	preferred := false
	for _, n := range p.nodes {
		if n.Bit&(w.Tried|refused) != 0 {
			continue
		}
		rank := p.rank(n)
		if rank < rankDown {
			if open, trial := n.ejection.phase(now); !open && (!trial || !w.Safe) {
				rank = rankDown
			}
		}
		if rank < rankNever && n.lacksNow(w.Endpoint, now) {
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

// best is the node that a request goes to: among those that serve, the better of two at random; otherwise the one that
// is least behind.
func (p *Pool) best(c *choice, e *policy.Endpoint, now time.Time) *Node {
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
	i := rand.IntN(c.count)
	j := rand.IntN(c.count - 1)
	if j >= i {
		j++
	}
	a, b := c.nodes[i], c.nodes[j]
	if b.score(e, now, p.config.SlowStart) < a.score(e, now, p.config.SlowStart) {
		return b
	}
	return a
}
