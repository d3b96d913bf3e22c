package proxy

import (
	"context"

	"strata/proxy/internal/pool"
)

// multicast is a transaction on its way to nodes other than the first.
type multicast struct {
	nodes   uint64
	count   int
	results chan nodeReply
}

// nodeReply is the answer of one of these nodes.
type nodeReply struct {
	answer   *answer
	decision decision
}

// multicast sends a transaction to all usable nodes with a free seat, except one. The caller need not wait for them.
func (p *Proxy) multicast(ctx context.Context, x *exchange, except *pool.Node) *multicast {
	m := &multicast{results: make(chan nodeReply, len(p.pool.Nodes()))}
	for _, node := range p.pool.Nodes() {
		if node == except {
			continue
		}
		seat, ok := p.pool.TrySeat(node, x.endpoint)
		if !ok {
			p.metrics.broadcasts.WithLabelValues("other", "skipped").Inc()
			continue
		}
		m.nodes |= node.Bit
		m.count++
		// x is written and logged when the client gets its answer, so each node has an exchange of its own.
		own := &exchange{endpoint: x.endpoint, request: x.request}
		p.background.Go(func() {
			t := p.attempt(ctx, own, seat)
			d := p.decide(t, node)
			p.metrics.broadcasts.WithLabelValues("other", d.label()).Inc()
			if d.accepted && !d.id.IsZero() {
				p.holders.add(d.id, node.Bit)
			}
			m.results <- nodeReply{t.answer, d}
		})
	}
	return m
}

// first waits for a decisive answer and returns it. If none comes, it returns the best of the others and best.
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
