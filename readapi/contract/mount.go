// Package contract has the reads of contracts.
package contract

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerContract()
	a.registerContractStatuses()
	a.registerContractEvents()
	a.registerTraits()
}
