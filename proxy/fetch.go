package proxy

import (
	"context"
	"errors"
	"strconv"
	"time"

	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
)

// triesMax is the maximum number of nodes that get a request, not counting those that could not be reached.
const triesMax = 4

// When a safe request has failed on all nodes, the proxy pauses and tries all of them again: one node may have come
// back just when another one went away. Each pass over the nodes is a round.
const (
	roundsMax = 4
	roundWait = 15 * time.Millisecond // before the second round; it doubles each time
	// roundsTime is the time after which no further round begins. Nodes that take that long to fail are not just
	// restarting.
	roundsTime = 500 * time.Millisecond
)

// attempt is the result of sending a request to one node, or to two if it was hedged.
type attempt struct {
	answer  *answer // nil if there is none
	outcome pool.Outcome
	err     error
	nodes   uint64 // the nodes that got the request, as a set of bits
}

// fetch returns the answer of one node to a request. If an attempt fails, it tries another node where that is allowed.
// It returns an error only if no node answered.
func (p *Proxy) fetch(ctx context.Context, x *exchange) (*answer, error) {
	p.budget.request()
	want := pool.Want{Endpoint: x.endpoint, Preferred: p.preferred(x), Safe: x.endpoint.Safe}
	if x.only != nil {
		want.Excluded = ^x.only.Bit
	}
	excluded := want.Excluded
	var best *answer
	var last error
	sent, tries := 0, 0
	for round := 1; ; {
		seat, err := p.pool.Pick(ctx, want)
		switch {
		case err == nil:
		case best != nil:
			return best, nil
		case errors.Is(err, pool.ErrNone) && last != nil && x.endpoint.Safe && round < roundsMax &&
			time.Since(x.start) < roundsTime && waitForRound(ctx, round):
			round++
			want.Excluded = excluded
			continue
		case last != nil && ctx.Err() == nil:
			return nil, &noAnswerError{last}
		default:
			return nil, err
		}
		tries++
		t := p.try(ctx, x, seat, tries == 1)
		want.Excluded |= t.nodes
		if t.outcome != pool.Unconnected {
			sent++
		}
		retry := p.shouldRetry(x, t, sent)
		best, last = better(best, t.answer), t.err
		if best != nil {
			best.tries = tries
		}
		switch {
		case retry && ctx.Err() == nil:
			p.metrics.retries.Inc()
		case best != nil:
			return best, nil
		default:
			return nil, &noAnswerError{last}
		}
	}
}

// waitForRound waits before the next round. It returns false if ctx ended first.
func waitForRound(ctx context.Context, round int) bool {
	timer := time.NewTimer(roundWait << (round - 1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// better returns the better of two answers for the client, and discards the other. An answer of a working node beats
// one of a failing node, and the earlier answer a wins a tie. A status below 400 always comes last, because no attempt
// follows it.
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

// preferred returns the nodes that are more likely than others to know the transaction or block in the request, or to have
// the newest state.
func (p *Proxy) preferred(x *exchange) uint64 {
	switch {
	case x.endpoint.Kind == policy.Unconfirmed, x.endpoint.Kind == policy.Confirmed:
		return p.holders.nodes(policy.LastSegment(x.path))
	case x.pinned:
		return p.pool.NodesWithTip(x.tip)
	case x.endpoint.Lifetime == policy.Tip || x.endpoint.Lifetime == policy.Second:
		// Nodes within the lag limit serve all alike. If the reads of one account went to any of them, its nonce could fall.
		return p.pool.NodesAtTip()
	}
	return 0
}

// try sends the request to a node. It also sends it to a second node if hedging is allowed and the first is slow.
func (p *Proxy) try(ctx context.Context, x *exchange, seat pool.Seat, first bool) attempt {
	if p.config.Hedge && first && x.endpoint.Hedge && x.only == nil {
		if slow, ok := p.latencies[x.endpoint.Index].value(); ok {
			return p.hedge(ctx, x, seat, slow)
		}
	}
	return p.attempt(ctx, x, seat)
}

// attempt sends the request to one node. It leaves the seat, unless the answer has a rest.
func (p *Proxy) attempt(ctx context.Context, x *exchange, seat pool.Seat) attempt {
	t := attempt{nodes: seat.Node.Bit}
	burnHeight := seat.Node.BurnHeight() // before the request, so that the answer is not older
	a, err := seat.Node.Client.Do(ctx, &x.request, p.timeout(x.endpoint.Cost), BufferMax)
	if err != nil {
		t.outcome, t.err = pool.OfError(ctx, err), err
		seat.Leave(t.outcome)
		return t
	}
	t.outcome = pool.OfStatus(a.Status)
	t.answer = &answer{
		status: a.Status, header: a.Header, body: a.Body, length: a.Length, rest: a.Rest, shareable: a.Rest == nil,
		node: seat.Node.Name, height: -1, burnHeight: burnHeight, lag: seat.Lag,
	}
	if a.Status < 300 {
		if height, err := strconv.ParseUint(a.Header.Get(tipHeight), 10, 62); err == nil {
			t.answer.height = int64(height)
			p.pool.ObserveHeight(seat.Node, int64(height))
		}
	}
	if a.Rest != nil {
		t.answer.seat = seat
		return t
	}
	if p.config.Hedge {
		p.latencies[x.endpoint.Index].observe(seat.Took())
	}
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
