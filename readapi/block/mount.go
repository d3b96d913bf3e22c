// Package block serves Stacks blocks and the Bitcoin blocks that they belong to.
package block

import "strata/readapi/internal/engine"

// api registers the package's operations on an engine and serves them.
type api struct{ *engine.Engine }

// Mount registers the package's operations on an engine.
func Mount(e *engine.Engine) {
	e.TraceTables(tracedListedBlock)
	a := &api{e}
	a.registerBlocks()
}
