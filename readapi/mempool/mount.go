// Package mempool serves pending and dropped transactions, and statistics of the mempool.
package mempool

import "strata/readapi/internal/engine"

// api registers the package's operations on an engine and serves them.
type api struct{ *engine.Engine }

// Mount registers the package's operations on an engine.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerMempoolLists()
	a.registerMempoolListsV3()
	a.registerMempoolStats()
	a.registerMempoolSummary()
	a.registerFeeRate()
}
