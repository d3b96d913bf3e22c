// Package node describes the RPC of Stacks nodes, which is forwarded, and judges the fees that they estimate.
package node

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct {
	*engine.Engine
	nodes Config
	fees  *fees
}

// Mount adds the operations of the package. overrideFees replaces a node's answer to a request for a fee estimate; ok is false
// where the node's own stands. It returns at once, and is safe for concurrent use.
func Mount(e *engine.Engine, config Config) (overrideFees func(request, answer []byte) (other []byte, ok bool)) {
	a := &api{Engine: e, nodes: config}
	a.fees = newFees(a)
	e.OnChange(a.fees.look)
	e.Background(a.fees.run)
	a.registerNodes()
	return a.feeOverride
}
