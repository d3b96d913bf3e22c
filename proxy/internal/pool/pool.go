package pool

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"strata/domain/hash"
	"strata/internal/instrument"
)

// Tip is the newest block that the pool agrees on.
type Tip struct {
	Height     int64 // -1: none is known
	BurnHeight int64
	ID         hash.Hash32 // zero if only the height is known
}

// Pool is the nodes. It is safe for concurrent use.
type Pool struct {
	config  Config
	nodes   []*Node
	metrics *metrics
	tip     atomic.Pointer[Tip]

	mu       sync.Mutex
	progress progress
}

// New makes a pool. No node is asked until Run.
func New(config Config) *Pool {
	p := &Pool{config: config}
	p.tip.Store(&Tip{Height: -1, BurnHeight: -1})
	for i, address := range config.Nodes {
		p.nodes = append(p.nodes, newNode(config, address, i, p.evaluate))
	}
	p.metrics = newMetrics(config.Registry, p.nodes)
	if config.Registry != nil {
		instrument.Registered(config.Registry, collector{p})
	}
	return p
}

// Nodes are the pool's, in the order of the configuration.
func (p *Pool) Nodes() []*Node { return p.nodes }

// Tip is the newest block that the pool agrees on, or that is known from elsewhere.
func (p *Pool) Tip() Tip {
	tip := *p.tip.Load()
	if p.config.Tip != nil {
		if height, id, ok := p.config.Tip(); ok && height >= tip.Height {
			tip.Height, tip.ID = height, id
		}
	}
	return tip
}

// Knowing are the nodes that had a block as their tip.
func (p *Pool) Knowing(id hash.Hash32) (nodes uint64) {
	for _, n := range p.nodes {
		if n.trail.Load().has(id) {
			nodes |= n.Bit
		}
	}
	return nodes
}

// Named is the node of a name.
func (p *Pool) Named(name string) (*Node, bool) {
	for _, n := range p.nodes {
		if n.Name == name {
			return n, true
		}
	}
	return nil, false
}

// Saw notes the height of a node's tip, which it told with an answer.
func (p *Pool) Saw(n *Node, height int64) {
	if n.height.Swap(height) != height {
		p.evaluate()
	}
}

// Run asks the nodes how they are until ctx ends. It must not be called twice.
func (p *Pool) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, n := range p.nodes {
		running.Go(func() { p.watch(ctx, n) })
	}
	running.Wait()
	for _, n := range p.nodes {
		n.Client.Close()
	}
}

// watch asks one node, at once and then at intervals.
func (p *Pool) watch(ctx context.Context, n *Node) {
	ticker := time.NewTicker(p.config.ProbeInterval)
	defer ticker.Stop()
	for {
		p.probe(ctx, n)
		n.Client.Sweep()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
