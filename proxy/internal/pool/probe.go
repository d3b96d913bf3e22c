package pool

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"

	"strata/domain/hash"
	"strata/proxy/internal/client"
)

// infoMax is the longest accepted answer to GET /v2/info, in bytes.
const infoMax = 1 << 20

// missedProbesMax is the number of consecutive failed probes after which a node is down. A busy node may miss one.
const missedProbesMax = 2

// probe asks a node for its info. If the node is ahead of all others, probe also asks it for a block that another node
// reports as its tip.
func (p *Pool) probe(ctx context.Context, n *Node) {
	raises := n.raises.Load()
	info, err := p.ask(ctx, n)
	if ctx.Err() != nil {
		return
	}
	p.recordProbe(ctx, n, raises, info, err)
	if other, ok := p.unvouchedLeader(n); ok && p.knows(ctx, n, other) {
		p.mu.Lock()
		n.vouched = true
		p.mu.Unlock()
		p.evaluate()
	}
}

func (p *Pool) ask(ctx context.Context, n *Node) (*nodeInfo, error) {
	answer, err := n.Client.Do(ctx, &client.Request{Method: http.MethodGet, Target: "/v2/info"}, p.config.ProbeTimeout, infoMax)
	if err != nil {
		return nil, err
	}
	if answer.Rest != nil {
		answer.Rest.Close()
		return nil, fmt.Errorf("GET /v2/info of %s: more than %d bytes", n.Name, infoMax)
	}
	if answer.Status != http.StatusOK {
		return nil, fmt.Errorf("GET /v2/info of %s: status %d", n.Name, answer.Status)
	}
	return parseInfo(answer.Body)
}

// recordProbe records the result of a probe: the node's info or an error. raises is how often an answer had raised the node's
// height when the probe began.
func (p *Pool) recordProbe(ctx context.Context, n *Node, raises int64, info *nodeInfo, err error) {
	defer p.evaluate()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		n.missedProbes++
		n.probeError = err.Error()
		if OfError(ctx, err) == Unconnected {
			n.missedProbes = max(n.missedProbes, missedProbesMax)
		}
		return
	}
	if n.missedProbes >= missedProbesMax {
		n.ejection.tryNow() // the node is back, so a trial request may come at once
	}
	if n.info != nil && info.Height < n.info.Height {
		n.vouched = false
	}
	n.missedProbes, n.probeError, n.info = 0, "", info
	if n.raises.Load() == raises || info.Height > n.height.Load() {
		n.height.Store(info.Height)
	}
	n.burnHeight.Store(info.BurnHeight)
	tipHistory := n.tipHistory.Load().with(point{info.Height, info.id})
	n.tipHistory.Store(&tipHistory)
	if burn := p.burnHeight(n); burn >= 0 && info.BurnHeight < burn-1 {
		n.burnBehind++
	} else {
		n.burnBehind = 0
	}
}

// unvouchedLeader reports whether n is ahead of the pool and nobody vouches for it. If so, it returns the highest tip
// of another node.
func (p *Pool) unvouchedLeader(n *Node) (hash.Hash32, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var other *Node
	for _, o := range p.nodes {
		if o != n && p.credible(o) && !o.info.id.IsZero() && (other == nil || o.info.Height > other.info.Height) {
			other = o
		}
	}
	if other == nil || !p.credible(n) || n.vouched || n.info.Height <= p.tip.Load().Height {
		return hash.Hash32{}, false
	}
	return other.info.id, true
}

// knows asks a node whether it has a block. It reads no more of the answer than its head.
func (p *Pool) knows(ctx context.Context, n *Node, id hash.Hash32) bool {
	target := "/v3/blocks/" + hex.EncodeToString(id[:])
	answer, err := n.Client.Do(ctx, &client.Request{Method: http.MethodGet, Target: target}, p.config.ProbeTimeout, 0)
	if err != nil {
		return false
	}
	if answer.Rest != nil {
		answer.Rest.Close()
	}
	return answer.Status == http.StatusOK
}
