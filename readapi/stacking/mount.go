// Package stacking serves the operations on stacking and on the rewards that Bitcoin blocks pay for it.
package stacking

import "strata/readapi/internal/engine"

// api holds the operations that the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package to an engine.
func Mount(e *engine.Engine) {
	e.TraceTables(tracedReward, tracedSlot, tracedFollowedBlock, tracedRecipient, tracedPayout, tracedCycle, tracedSigner, tracedStacker, tracedStackingEvent, tracedDelegation)
	a := &api{e}
	a.registerBurnchain()
	a.registerPoxTransactions()
	a.registerPoxCycles()
	a.registerPoxSigners()
	a.registerPoxStackers()
	a.registerPoxEvents()
}
