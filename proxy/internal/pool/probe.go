package pool

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"

	"strata/domain/hash"
	"strata/proxy/internal/wire"
)

// infoMax is the longest answer to GET /v2/info that is read, in bytes.
const infoMax = 1 << 20

// silentMax is after how many probes in a row without an answer a node is down; a node that is busy may miss one.
const silentMax = 2

// probe asks a node how it is and, where it is ahead of all others, whether it knows what they call the tip.
func (p *Pool) probe(ctx context.Context, n *Node) {
	said, err := p.ask(ctx, n)
	if ctx.Err() != nil {
		return
	}
	p.heard(ctx, n, said, err)
	if other, ok := p.alone(n); ok && p.knows(ctx, n, other) {
		p.mu.Lock()
		n.vouched = true
		p.mu.Unlock()
		p.evaluate()
	}
}

func (p *Pool) ask(ctx context.Context, n *Node) (*info, error) {
	response, err := n.Client.Do(ctx, &wire.Request{Method: http.MethodGet, Target: "/v2/info"}, p.config.ProbeTimeout)
	if err != nil {
		return nil, err
	}
	defer response.Close()
	body, whole, err := response.ReadMax(nil, infoMax)
	switch {
	case err != nil:
		return nil, err
	case response.Status != http.StatusOK:
		return nil, fmt.Errorf("GET /v2/info of %s: status %d", n.Name, response.Status)
	case !whole:
		return nil, fmt.Errorf("GET /v2/info of %s: more than %d bytes", n.Name, infoMax)
	}
	return parseInfo(body)
}

// heard notes what a node said, or that it didn't answer.
func (p *Pool) heard(ctx context.Context, n *Node, said *info, err error) {
	defer p.evaluate()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		n.silent++
		n.trouble = err.Error()
		if OfError(ctx, err) == Unconnected {
			n.silent = max(n.silent, silentMax)
		}
		return
	}
	if n.silent >= silentMax {
		n.ejection.tryNow() // it is back: a request may find out at once if it works
	}
	if n.said != nil && said.Height < n.said.Height {
		n.vouched = false
	}
	n.silent, n.trouble, n.said = 0, "", said
	n.height.Store(said.Height)
	trail := n.trail.Load().with(point{said.Height, said.id})
	n.trail.Store(&trail)
	if burn := p.burnHeight(n); burn >= 0 && said.BurnHeight < burn-1 {
		n.burnBehind++
	} else {
		n.burnBehind = 0
	}
}

// alone says whether n is ahead without anybody to vouch for it, and gives the tip of one of the others.
func (p *Pool) alone(n *Node) (hash.Hash32, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var other *Node
	for _, o := range p.nodes {
		if o != n && p.believed(o) && !o.said.id.IsZero() && (other == nil || o.said.Height > other.said.Height) {
			other = o
		}
	}
	if other == nil || !p.believed(n) || n.vouched || n.said.Height <= p.tip.Load().Height {
		return hash.Hash32{}, false
	}
	return other.said.id, true
}

// knows asks a node for a block. Only the status is read.
func (p *Pool) knows(ctx context.Context, n *Node, id hash.Hash32) bool {
	target := "/v3/blocks/" + hex.EncodeToString(id[:])
	response, err := n.Client.Do(ctx, &wire.Request{Method: http.MethodGet, Target: target}, p.config.ProbeTimeout)
	if err != nil {
		return false
	}
	defer response.Close()
	return response.Status == http.StatusOK
}
