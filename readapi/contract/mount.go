// Package contract serves contracts: their source and interface, their status, the events that they print, and the
// contracts that implement a trait.
package contract

import "strata/readapi/internal/engine"

// api registers the package's operations on an engine and serves them.
type api struct{ *engine.Engine }

// Mount registers the package's operations on an engine.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerContract()
	a.registerContractV3()
	a.registerContractStatuses()
	a.registerContractEvents()
	a.registerContractEventsV3()
	a.registerTraits()
}
