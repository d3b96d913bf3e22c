package proxy

import (
	"context"
	"sync/atomic"
	"time"

	"strata/proxy/internal/pool"
)

// hedge sends the request to a second node as well if the first takes longer than slow, and returns the useful answer
// that comes first. Until then it starts no second goroutine.
func (p *Proxy) hedge(ctx context.Context, x *exchange, seat pool.Seat, slow time.Duration) attempt {
	firstContext, stopFirst := context.WithCancelCause(ctx)
	secondContext, stopSecond := context.WithCancelCause(ctx)
	var won atomic.Bool // one of the two attempts has won
	second := make(chan attempt, 1)
	timer := time.AfterFunc(slow, func() {
		t := p.attemptSpare(secondContext, x, seat.Node.Bit)
		if !useful(x, t) {
			second <- t
			return
		}
		if !won.CompareAndSwap(false, true) {
			t.answer.discard()
			return
		}
		second <- t
		stopFirst(pool.ErrOutrun)
	})
	first := p.attempt(firstContext, x, seat)
	if timer.Stop() { // the first answer nearly always comes in time
		stopFirst(nil)
		stopSecond(nil)
		return first
	}
	if useful(x, first) && won.CompareAndSwap(false, true) {
		stopFirst(nil)
		stopSecond(pool.ErrOutrun)
		p.metrics.hedgesLost.Inc()
		return first
	}
	t := <-second
	stopFirst(nil)
	stopSecond(nil)
	nodes := first.nodes | t.nodes
	if useful(x, t) {
		p.metrics.hedgesWon.Inc()
		if first.answer != nil {
			first.answer.discard()
		}
		t.nodes = nodes
		return t
	}
	p.metrics.hedgesLost.Inc()
	if t.answer != nil {
		t.answer.discard()
	}
	first.nodes = nodes
	return first
}

// attemptSpare sends the request to a serving node with a free seat, other than those excluded.
func (p *Proxy) attemptSpare(ctx context.Context, x *exchange, excluded uint64) attempt {
	if !p.budget.retry() {
		return attempt{outcome: pool.Cancelled, err: pool.ErrBusy}
	}
	seat, err := p.pool.Pick(ctx, pool.Want{Endpoint: x.endpoint, Excluded: excluded, Preferred: p.preferred(x), Spare: true})
	if err != nil {
		return attempt{outcome: pool.Cancelled, err: err}
	}
	return p.attempt(ctx, x, seat)
}

// useful reports whether an attempt ended with an answer for the client.
func useful(x *exchange, t attempt) bool {
	return t.answer != nil && t.answer.status != 501 && !anotherNodeMayKnow(x, t.answer, 1)
}
