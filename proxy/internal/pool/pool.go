package pool

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"strata/domain/hash"
	"strata/internal/instrument"
)

// Tip is the newest block that the pool agrees on.
type Tip struct {
	Height     int64       // -1 if unknown
	BurnHeight int64       // of Bitcoin; -1 if unknown
	ID         hash.Hash32 // zero if only the height is known
}

// Pool is a set of nodes. It is safe for concurrent use.
type Pool struct {
	config  Config
	nodes   []*Node
	metrics *metrics
	tip     atomic.Pointer[Tip]
	draw    func(n int64) int64 // returns a random number below n

	mu       sync.Mutex
	progress progress
}

// New returns a pool. It probes no node until Run.
func New(config Config) *Pool {
	p := &Pool{config: config, draw: rand.Int64N}
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

// Nodes returns the pool's nodes in the order of the configuration.
func (p *Pool) Nodes() []*Node { return p.nodes }

// Tip returns the newest block that the pool agrees on, or that of Config.Tip if it is at least as high.
func (p *Pool) Tip() Tip {
	tip := *p.tip.Load()
	if p.config.Tip != nil {
		if height, id, ok := p.config.Tip(); ok && height >= tip.Height {
			tip.Height, tip.ID = height, id
		}
	}
	return tip
}

// NodesWithTip returns the nodes that have, or recently had, this block as their tip.
func (p *Pool) NodesWithTip(id hash.Hash32) (nodes uint64) {
	for _, n := range p.nodes {
		if n.tipHistory.Load().contains(id) {
			nodes |= n.Bit
		}
	}
	return nodes
}

// NodesAtTip returns the serving nodes that are at the pool's tip, or the highest of those below it if none is. A node above the
// tip, for which nobody vouches, is among them only if no node is at the tip or below it.
func (p *Pool) NodesAtTip() (nodes uint64) {
	tip, highest := p.Tip().Height, int64(-1)
	for _, n := range p.nodes {
		if height := n.height.Load(); p.rank(n) == rankServing && height <= tip {
			highest = max(highest, height)
		}
	}
	for _, n := range p.nodes {
		if p.rank(n) == rankServing && (n.height.Load() == highest || highest < 0) {
			nodes |= n.Bit
		}
	}
	return nodes
}

// NodeByName returns the node with this name.
func (p *Pool) NodeByName(name string) (*Node, bool) {
	for _, n := range p.nodes {
		if n.Name == name {
			return n, true
		}
	}
	return nil, false
}

// ObserveHeight records the height of a node's tip, which the node reported with an answer. A lower height than before counts
// only when a probe reports it: answers come late, too.
func (p *Pool) ObserveHeight(n *Node, height int64) {
	for before := n.height.Load(); height > before; before = n.height.Load() {
		if n.height.CompareAndSwap(before, height) {
			n.raises.Add(1)
			p.evaluate()
			return
		}
	}
}

// Run probes the nodes until ctx ends. It must not be called twice.
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

// watch probes one node, at once and then at intervals.
func (p *Pool) watch(ctx context.Context, n *Node) {
	ticker := time.NewTicker(p.config.ProbeInterval)
	defer ticker.Stop()
	for {
		p.probe(ctx, n)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
