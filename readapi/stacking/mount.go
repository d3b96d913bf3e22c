// Package stacking has the reads of stacking and of what Bitcoin pays for it.
package stacking

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerBurnchain()
	a.registerPoxTransactions()
	a.registerPoxCycles()
	a.registerPoxSigners()
	a.registerPoxStackers()
	a.registerPoxEvents()
}
