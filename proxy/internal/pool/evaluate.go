package pool

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// believed says whether what a node last said counts.
func (p *Pool) believed(n *Node) bool {
	return n.said != nil && n.silent < silentMax && !p.foreign(n)
}

func (p *Pool) foreign(n *Node) bool {
	return n.said != nil && p.config.ChainID != 0 && n.said.NetworkID != p.config.ChainID
}

// evaluate finds the pool's tip and with it the standing of each node.
func (p *Pool) evaluate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	tip := p.agree()
	p.tip.Store(&tip)
	height := p.Tip().Height
	p.progress.reach(height, now)
	for _, n := range p.nodes {
		standing := p.judge(n, height, now)
		n.standing.Store(int32(standing))
		n.verified.Store(n.said != nil && standing != Foreign)
		p.setState(n, n.stateOf(standing), now)
	}
}

// agree finds the pool's tip: the highest that two nodes have reached, or one that is vouched for.
func (p *Pool) agree() Tip {
	var heights []int64
	for _, n := range p.nodes {
		if p.believed(n) {
			heights = append(heights, n.height.Load())
		}
	}
	slices.Sort(heights)
	tip := Tip{Height: -1, BurnHeight: p.burnHeight(nil)}
	switch k := len(heights); k {
	case 0:
		return tip
	case 1:
		tip.Height = heights[0]
	default:
		tip.Height = heights[k-2]
	}
	for _, n := range p.nodes {
		if p.believed(n) && n.height.Load() > tip.Height && p.vouched(n) {
			tip.Height = n.height.Load()
		}
	}
	for _, n := range p.nodes {
		if p.believed(n) && n.said.Height == tip.Height && !n.said.id.IsZero() {
			tip.ID = n.said.id
			break
		}
	}
	return tip
}

// vouched says whether another node is, or was, on the same chain as n.
func (p *Pool) vouched(n *Node) bool {
	if n.vouched {
		return true
	}
	for _, o := range p.nodes {
		if o != n && p.believed(o) && n.trail.Load().meets(*o.trail.Load()) {
			return true
		}
	}
	if p.config.Tip != nil {
		if _, id, ok := p.config.Tip(); ok {
			return n.trail.Load().has(id)
		}
	}
	return false
}

// burnHeight is the highest Bitcoin block that two nodes have, or a lone one; n's own doesn't count for n.
func (p *Pool) burnHeight(except *Node) int64 {
	var heights []int64
	for _, n := range p.nodes {
		if n != except && p.believed(n) {
			heights = append(heights, n.said.BurnHeight)
		}
	}
	slices.Sort(heights)
	switch k := len(heights); {
	case k == 0:
		return -1
	case k == 1 || except != nil && k == 2:
		return heights[0]
	default:
		return heights[k-2]
	}
}

func (p *Pool) judge(n *Node, tip int64, now time.Time) State {
	switch height := n.height.Load(); {
	case p.foreign(n):
		return Foreign
	case n.silent >= silentMax:
		return Down
	case n.said == nil:
		return Unasked
	case n.said.syncing():
		return Syncing
	case height > tip+p.config.LagBlocks:
		return Ahead
	case n.burnBehind > 1:
		return Lagging
	case height < tip-p.config.LagBlocks:
		if behind, known := p.progress.behindFor(height, p.config.LagBlocks, now); !known || behind > p.config.LagTime {
			return Lagging
		}
	}
	return Serving
}

// stateOf is a standing with what requests found out.
func (n *Node) stateOf(standing State) State {
	if n.ejection.until.Load() != 0 && standing != Foreign && standing != Down {
		return Ejected
	}
	return standing
}

func (p *Pool) setState(n *Node, state State, now time.Time) {
	if n.state == state {
		return
	}
	level := slog.LevelInfo
	if state != Serving {
		level = slog.LevelWarn
	}
	p.config.Logger.LogAttrs(context.Background(), level, "node of the proxy changed its state",
		slog.String("node", n.Name), slog.String("from", n.state.String()), slog.String("to", state.String()),
		slog.Int64("height", n.height.Load()), slog.String("error", n.trouble))
	n.state, n.since = state, now
}
