// Package search serves the search for a transaction, block, contract or account by its id.
package search

import "strata/readapi/internal/engine"

// api registers the package's operations on an engine and serves them.
type api struct{ *engine.Engine }

// Mount registers the package's operations on an engine.
func Mount(e *engine.Engine) {
	e.TraceTables(tracedAccount, tracedName, tracedBitcoinBlock)
	a := &api{e}
	a.registerSearch()
	a.registerSearchV3()
}
