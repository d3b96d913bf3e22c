// Package node describes the RPC operations that are forwarded to Stacks nodes, reports the status of the nodes, and
// overrides their fee estimates.
package node

import "strata/readapi/internal/engine"

// api holds the operations that the package mounts on an engine.
type api struct {
	*engine.Engine
	nodes Config
	fees  *fees
}

// Mount adds the operations of the package to an engine. overrideFees returns the replacement of a node's answer to a
// request for a fee estimate; ok is false when the answer of the node stands. It does not block, and is safe for
// concurrent use.
func Mount(e *engine.Engine, config Config) (overrideFees func(request, answer []byte) (other []byte, ok bool)) {
	a := &api{Engine: e, nodes: config}
	a.fees = newFees(a)
	e.OnChange(a.fees.notify)
	e.Background(a.fees.run)
	a.registerNodes()
	return a.feeOverride
}
