package proxy

import (
	"strconv"

	"strata/proxy/internal/pool"
)

// shownName returns the name by which clients know the node of a name: the name itself, or the node's number if names are
// hidden. It is empty for the empty name.
func (p *Proxy) shownName(name string) string {
	if !p.config.HideNames {
		return name
	}
	for i, n := range p.pool.Nodes() {
		if n.Name == name {
			return strconv.Itoa(i + 1)
		}
	}
	return ""
}

// nodeShownAs returns the node that clients know by a name.
func (p *Proxy) nodeShownAs(shown string) (*pool.Node, bool) {
	if !p.config.HideNames {
		return p.pool.NodeByName(shown)
	}
	nodes := p.pool.Nodes()
	number, err := strconv.Atoi(shown)
	if err != nil || number < 1 || number > len(nodes) {
		return nil, false
	}
	return nodes[number-1], true
}
