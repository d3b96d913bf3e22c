package pool

import "time"

// Status of a node, for people.
type Status struct {
	Name          string    `json:"name"`
	URL           string    `json:"url"`
	State         string    `json:"state"`
	Since         time.Time `json:"since"`
	Height        int64     `json:"stacks_tip_height"` // -1: not known
	BurnHeight    int64     `json:"burn_block_height"` // -1: not known
	Lag           int64     `json:"lag"`               // blocks behind the pool
	InFlight      int64     `json:"in_flight"`
	Queued        int64     `json:"queued"`
	ServerVersion string    `json:"server_version,omitempty"`
	// Error is why the node doesn't answer when it is asked.
	Error string `json:"error,omitempty"`
}

// Status of all nodes.
func (p *Pool) Status() []Status {
	p.evaluate() // time alone may have changed something
	p.mu.Lock()
	defer p.mu.Unlock()
	tip := p.Tip().Height
	list := make([]Status, 0, len(p.nodes))
	for _, n := range p.nodes {
		s := Status{
			Name: n.Name, URL: n.URL, State: n.state.String(), Since: n.since, Height: n.height.Load(), BurnHeight: -1,
			Lag: n.lag(tip), InFlight: n.inFlight.Load(), Queued: n.queued.Load(), Error: n.trouble,
		}
		if n.said != nil {
			s.BurnHeight, s.ServerVersion = n.said.BurnHeight, n.said.ServerVersion
		}
		list = append(list, s)
	}
	return list
}

// lag is how many blocks the node is behind a tip; 0 if its height is not known.
func (n *Node) lag(tip int64) int64 {
	height := n.height.Load()
	if height < 0 {
		return 0
	}
	return max(0, tip-height)
}
