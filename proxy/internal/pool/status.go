package pool

import "time"

// Status describes a node to people.
type Status struct {
	Name          string    `json:"name"`
	URL           string    `json:"url"`
	State         string    `json:"state"`
	Since         time.Time `json:"since"`
	Height        int64     `json:"stacks_tip_height"` // -1 if unknown
	BurnHeight    int64     `json:"burn_block_height"` // -1 if unknown
	Lag           int64     `json:"lag"`               // blocks behind the pool
	InFlight      int64     `json:"in_flight"`
	Queued        int64     `json:"queued"`
	ServerVersion string    `json:"server_version,omitempty"`
	// Error tells why the last probe failed.
	Error string `json:"error,omitempty"`
}

// Status returns the status of all nodes in the order of the configuration.
func (p *Pool) Status() []Status {
	p.evaluate() // a state may have changed just because time has passed
	p.mu.Lock()
	defer p.mu.Unlock()
	tip := p.Tip().Height
	list := make([]Status, 0, len(p.nodes))
	for _, n := range p.nodes {
		s := Status{
			Name: n.Name, URL: n.URL, State: n.state.String(), Since: n.since, Height: n.height.Load(), BurnHeight: -1,
			Lag: n.lag(tip), InFlight: n.inFlight.Load(), Queued: n.queued.Load(), Error: n.probeError,
		}
		if n.info != nil {
			s.BurnHeight, s.ServerVersion = n.info.BurnHeight, n.info.ServerVersion
		}
		list = append(list, s)
	}
	return list
}

// lag returns how many blocks the node is behind a tip; 0 if its height is unknown.
func (n *Node) lag(tip int64) int64 {
	height := n.height.Load()
	if height < 0 {
		return 0
	}
	return max(0, tip-height)
}
