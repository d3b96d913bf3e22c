package proxy

import (
	"context"
	"errors"
	"strconv"
	"time"

	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
	"strata/proxy/internal/wire"
)

// triesMax is how many nodes a request is sent to, not counting those that could not be reached.
const triesMax = 4

// Rounds: when all nodes have failed, a safe request goes round again after a pause. One node may have come back just
// when another went.
const (
	roundsMax = 4
	roundWait = 15 * time.Millisecond // doubles
	// roundsTime is after which no other round begins: nodes that take that long to fail have not just gone.
	roundsTime = 500 * time.Millisecond
)

// tried is how one try went.
type tried struct {
	answer  *answer // nil if there is none
	outcome pool.Outcome
	err     error
	nodes   uint64 // that were asked
}

// fetch gets the answer to a request from one node, or from another if that fails and it may be asked. It reports an
// error only if there is no answer of any node.
func (p *Proxy) fetch(ctx context.Context, x *exchange) (*answer, error) {
	p.budget.Request()
	want := pool.Want{Endpoint: x.endpoint, Preferred: p.preferred(x), Safe: x.endpoint.Safe}
	if x.only != nil {
		want.Tried = ^x.only.Bit
	}
	asked := want.Tried
	var best *answer
	var last error
	sent, tries := 0, 0
	for round := 1; ; {
		seat, err := p.pool.Pick(ctx, want)
		switch {
		case err == nil:
		case best != nil:
			return best, nil
		case errors.Is(err, pool.ErrNone) && last != nil && x.endpoint.Safe && round < roundsMax && time.Since(x.start) < roundsTime && pause(ctx, round):
			round++
			want.Tried = asked
			continue
		case last != nil && ctx.Err() == nil:
			return nil, &unanswered{last}
		default:
			return nil, err
		}
		tries++
		t := p.try(ctx, x, seat, tries == 1)
		want.Tried |= t.nodes
		if t.outcome != pool.Unconnected {
			sent++
		}
		again := p.again(x, t, sent)
		best, last = better(best, t.answer), t.err
		if best != nil {
			best.tries = tries
		}
		switch {
		case again && ctx.Err() == nil:
			p.metrics.retries.Inc()
		case best != nil:
			return best, nil
		default:
			return nil, &unanswered{last}
		}
	}
}

// pause waits before another round, and says whether there may be one.
func pause(ctx context.Context, round int) bool {
	timer := time.NewTimer(roundWait << (round - 1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// better is the answer that the client gets if no other comes: a node that works counts more than one that fails, and
// what came first more than what came later. A whole 200 is always last, as nobody is asked after it.
func better(a, b *answer) *answer {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case b.status < 400, a.status >= 500 && b.status < 500:
		a.discard()
		return b
	}
	b.discard()
	return a
}

// preferred are the nodes that are more likely than others to know what the request is about.
func (p *Proxy) preferred(x *exchange) uint64 {
	switch {
	case x.endpoint.Kind == policy.Unconfirmed, x.endpoint.Kind == policy.Confirmed:
		return p.follow.nodes(policy.Last(x.path))
	case x.pinned:
		return p.pool.Knowing(x.tip)
	}
	return 0
}

// try sends the request to a node, and to a second one if it may be hedged and the first takes long.
func (p *Proxy) try(ctx context.Context, x *exchange, seat pool.Seat, first bool) tried {
	if p.config.Hedge && first && x.endpoint.Hedge && x.only == nil {
		if slow, ok := p.slowness[x.endpoint.Index].P95(); ok {
			return p.hedge(ctx, x, seat, slow)
		}
	}
	return p.attempt(ctx, x, seat)
}

// attempt is one exchange with one node. It leaves the seat, unless the answer has a rest.
func (p *Proxy) attempt(ctx context.Context, x *exchange, seat pool.Seat) tried {
	t := tried{nodes: seat.Node.Bit}
	response, err := seat.Node.Client.Do(ctx, &x.request, p.timeout(x.endpoint.Cost))
	if err != nil {
		return t.failed(ctx, seat, err)
	}
	loan := buffers.Get().(*[]byte)
	body, whole, err := response.ReadMax((*loan)[:0], BufferMax)
	if err != nil {
		buffers.Put(loan)
		response.Close()
		return t.failed(ctx, seat, err)
	}
	t.outcome = pool.OfStatus(response.Status)
	t.answer = &answer{
		status: response.Status, body: body, node: seat.Node.Name, height: -1, lag: seat.Lag, loan: loan, shareable: whole,
	}
	t.answer.fields = append(t.answer.few[:0], response.Fields...)
	if response.Status < 300 {
		if height, err := strconv.ParseUint(response.Value(wire.TipHeight), 10, 62); err == nil {
			t.answer.height = int64(height)
			p.pool.Saw(seat.Node, int64(height))
		}
	}
	if !whole {
		t.answer.rest, t.answer.seat = response, seat
		return t
	}
	response.Close()
	if p.config.Hedge {
		p.slowness[x.endpoint.Index].Observe(seat.Took())
	}
	seat.Leave(t.outcome)
	return t
}

func (t tried) failed(ctx context.Context, seat pool.Seat, err error) tried {
	t.outcome, t.err = pool.OfError(ctx, err), err
	seat.Leave(t.outcome)
	return t
}

func (p *Proxy) timeout(cost policy.Cost) time.Duration {
	switch cost {
	case policy.Light:
		return p.config.Timeouts.Light
	case policy.Medium:
		return p.config.Timeouts.Medium
	default:
		return p.config.Timeouts.Heavy
	}
}
