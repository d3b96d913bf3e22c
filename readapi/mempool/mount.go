// Package mempool has the reads of what waits to be mined.
package mempool

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerMempoolLists()
	a.registerMempoolListsV3()
	a.registerMempoolStats()
	a.registerFeeRate()
}
