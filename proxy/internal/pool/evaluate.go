package pool

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// credible reports whether the last info of a node counts.
func (p *Pool) credible(n *Node) bool {
	return n.info != nil && n.missedProbes < missedProbesMax && !p.foreign(n)
}

func (p *Pool) foreign(n *Node) bool {
	return n.info != nil && p.config.ChainID != 0 && n.info.NetworkID != p.config.ChainID
}

// evaluate determines the pool's tip and, from it, the standing of each node.
func (p *Pool) evaluate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	tip := p.agreedTip()
	p.tip.Store(&tip)
	height := p.Tip().Height
	p.progress.reach(height, now)
	for _, n := range p.nodes {
		standing := p.standingOf(n, height, now)
		n.standing.Store(int32(standing))
		n.verified.Store(n.info != nil && standing != Foreign)
		p.setState(n, n.stateOf(standing), now)
	}
}

// agreedTip returns the pool's tip: the greatest height that two nodes have reached, or that of a higher node for which
// another one vouches.
func (p *Pool) agreedTip() Tip {
	var heights []int64
	for _, n := range p.nodes {
		if p.credible(n) {
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
		if p.credible(n) && n.height.Load() > tip.Height && p.vouched(n) {
			tip.Height = n.height.Load()
		}
	}
	for _, n := range p.nodes {
		if p.credible(n) && n.info.Height == tip.Height && !n.info.id.IsZero() {
			tip.ID = n.info.id
			break
		}
	}
	return tip
}

// vouched reports whether another node, or Config.Tip, confirms that n is on the same chain.
func (p *Pool) vouched(n *Node) bool {
	if n.vouched {
		return true
	}
	for _, o := range p.nodes {
		if o != n && p.credible(o) && n.tipHistory.Load().intersects(*o.tipHistory.Load()) {
			return true
		}
	}
	if p.config.Tip != nil {
		if _, id, ok := p.config.Tip(); ok {
			return n.tipHistory.Load().contains(id)
		}
	}
	return false
}

// burnHeight returns the greatest Bitcoin height that two nodes have reached, not counting except, or the only height
// if there is just one; -1 if there is none.
func (p *Pool) burnHeight(except *Node) int64 {
	var heights []int64
	for _, n := range p.nodes {
		if n != except && p.credible(n) {
			heights = append(heights, n.info.BurnHeight)
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

// standingOf derives a node's standing from its info and heights. tip is the height of the pool's tip.
func (p *Pool) standingOf(n *Node, tip int64, now time.Time) State {
	switch height := n.height.Load(); {
	case p.foreign(n):
		return Foreign
	case n.missedProbes >= missedProbesMax:
		return Down
	case n.info == nil:
		return Unasked
	case n.info.syncing():
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

// stateOf combines a standing with the node's ejection.
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
	p.config.Logger.LogAttrs(context.Background(), level, "proxy node changed state",
		slog.String("node", n.Name), slog.String("from", n.state.String()), slog.String("to", state.String()),
		slog.Int64("height", n.height.Load()), slog.String("error", n.probeError))
	n.state, n.since = state, now
}
