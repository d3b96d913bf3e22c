package proxy

import (
	"context"

	"strata/proxy/internal/pool"
)

// multicast is a transaction on its way to the nodes besides the first.
type multicast struct {
	nodes   uint64
	count   int
	results chan heard
}

// heard is what one of them answered.
type heard struct {
	answer   *answer
	decision decision
}

// multicast sends a transaction to all nodes besides one that are of use and have room. Nobody has to wait for them.
func (p *Proxy) multicast(ctx context.Context, x *exchange, besides *pool.Node) *multicast {
	// The exchange is told to the client's log when the client has its answer, so each copy has its own.
	m := &multicast{results: make(chan heard, len(p.pool.Nodes()))}
	for _, node := range p.pool.Nodes() {
		if node == besides {
			continue
		}
		seat, ok := p.pool.TrySeat(node, x.endpoint)
		if !ok {
			p.metrics.broadcasts.WithLabelValues("other", "skipped").Inc()
			continue
		}
		m.nodes |= node.Bit
		m.count++
		own := &exchange{endpoint: x.endpoint, request: x.request}
		p.extras.Go(func() {
			t := p.attempt(ctx, own, seat)
			d := p.decide(t, node)
			p.metrics.broadcasts.WithLabelValues("other", d.label()).Inc()
			if d.accepted && !d.id.IsZero() {
				p.follow.took(d.id, node.Bit)
			}
			m.results <- heard{t.answer, d}
		})
	}
	return m
}

// first waits for an answer that is decisive, and is best if there is none.
func (m *multicast) first(best *answer) *answer {
	for range m.count {
		h := <-m.results
		if h.answer == nil {
			continue
		}
		h.answer.tries = 1 + m.count
		if h.decision.final {
			if best != nil && (h.decision.accepted || best.status >= 500) {
				best.discard()
				best = nil
			}
			if best == nil {
				return h.answer
			}
		}
		best = better(best, h.answer)
	}
	return best
}
