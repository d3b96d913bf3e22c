package pool

import (
	"context"
	"time"

	"strata/proxy/internal/policy"
)

// Seat is the place of one in-flight request at a node.
type Seat struct {
	Node *Node
	// Lag is the number of blocks that the node is behind the pool; -1 if the node is serving.
	Lag int64

	pool   *Pool
	cost   policy.Cost
	permit permit
	taken  time.Time
}

// tryAcquire takes a slot at the node, if one is free.
func (n *Node) tryAcquire(cost policy.Cost) bool {
	if cost == policy.Heavy && !n.heavySeats.TryAcquire(1) {
		return false
	}
	if n.seats.TryAcquire(1) {
		return true
	}
	if cost == policy.Heavy {
		n.heavySeats.Release(1)
	}
	return false
}

func (n *Node) release(cost policy.Cost) {
	n.seats.Release(1)
	if cost == policy.Heavy {
		n.heavySeats.Release(1)
	}
}

// wait queues for a slot at the node.
func (n *Node) wait(ctx context.Context, cost policy.Cost, length int, until time.Time) error {
	defer n.queued.Add(-1)
	if n.queued.Add(1) > int64(length) {
		return ErrBusy
	}
	waiting, stop := context.WithDeadline(ctx, until)
	defer stop()
	if cost == policy.Heavy {
		if n.heavySeats.Acquire(waiting, 1) != nil {
			return queueError(ctx)
		}
	}
	if n.seats.Acquire(waiting, 1) != nil {
		if cost == policy.Heavy {
			n.heavySeats.Release(1)
		}
		return queueError(ctx)
	}
	return nil
}

// queueError returns the reason why the wait ended without a slot.
func queueError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrBusy
}

// newSeat begins a request in an acquired slot.
func (p *Pool) newSeat(n *Node, e *policy.Endpoint, granted permit) Seat {
	n.load.Add(e.Cost.Weight())
	n.inFlight.Add(1)
	lag := int64(-1)
	switch State(n.standing.Load()) {
	case Lagging, Syncing, Ahead:
		lag = n.lag(p.Tip().Height)
	case Serving, Ejected, Down, Unasked, Foreign, States:
	}
	return Seat{Node: n, Lag: lag, pool: p, cost: e.Cost, permit: granted, taken: time.Now()}
}

// Leave ends the request and records its outcome.
func (s *Seat) Leave(outcome Outcome) {
	n, now := s.Node, time.Now()
	took := now.Sub(s.taken)
	n.load.Add(-s.cost.Weight())
	n.inFlight.Add(-1)
	if outcome != Cancelled && outcome != Unconnected {
		n.latency[s.cost].observe(took, now)
	}
	s.pool.metrics.observe(n, s.cost, outcome, took)
	n.ejection.end(s.permit, outcome)
	if s.permit.forced && (outcome == OK || outcome == ClientError) {
		s.pool.revive(n)
	}
	n.release(s.cost) // last, so that who waits for the seat knows of the outcome
}

// revive records that a node works which was thought to be down.
func (p *Pool) revive(n *Node) {
	p.mu.Lock()
	n.missedProbes = 0
	p.mu.Unlock()
	p.evaluate()
}

// Took returns how long the request has had its seat.
func (s *Seat) Took() time.Duration { return time.Since(s.taken) }
