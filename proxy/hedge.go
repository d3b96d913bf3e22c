package proxy

import (
	"context"
	"sync/atomic"
	"time"

	"strata/proxy/internal/pool"
)

// hedge sends the request to a second node as well if the first takes longer than slow, and takes the answer that comes
// first. Nothing runs besides the first exchange until the time is over.
func (p *Proxy) hedge(ctx context.Context, x *exchange, seat pool.Seat, slow time.Duration) tried {
	firstContext, stopFirst := context.WithCancelCause(ctx)
	secondContext, stopSecond := context.WithCancelCause(ctx)
	var won atomic.Bool // by one of them
	second := make(chan tried, 1)
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
		t.handOver(ctx)
		second <- t
		stopFirst(pool.ErrOutrun)
	})
	first := p.attempt(firstContext, x, seat)
	if timer.Stop() { // as nearly always
		first.handOver(ctx)
		stopFirst(nil)
		stopSecond(nil)
		return first
	}
	if useful(x, first) && won.CompareAndSwap(false, true) {
		first.handOver(ctx)
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

// attemptSpare sends the request to a node other than those asked, if one has room.
func (p *Proxy) attemptSpare(ctx context.Context, x *exchange, asked uint64) tried {
	if !p.budget.Retry() {
		return tried{outcome: pool.Cancelled, err: pool.ErrBusy}
	}
	seat, err := p.pool.Pick(ctx, pool.Want{Endpoint: x.endpoint, Tried: asked, Preferred: p.preferred(x), Spare: true})
	if err != nil {
		return tried{outcome: pool.Cancelled, err: err}
	}
	return p.attempt(ctx, x, seat)
}

// useful says whether a try ended with an answer that is the client's.
func useful(x *exchange, t tried) bool {
	return t.answer != nil && t.answer.status != 501 && !anotherMayKnow(x, t.answer, 1)
}

// handOver makes what still comes of an answer depend on ctx, and no longer on the context of the try.
func (t *tried) handOver(ctx context.Context) {
	if t.answer != nil && t.answer.rest != nil {
		t.answer.rest.Watch(ctx)
	}
}
