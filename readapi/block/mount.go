// Package block has the reads of blocks of Stacks and of Bitcoin.
package block

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerBlocks()
	a.traceChain()
}
