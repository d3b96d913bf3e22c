// Package balance has the reads of what accounts have: STX, fungible and non-fungible tokens, holders, the supply of STX.
package balance

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerSTXBalances()
	a.registerBalances()
	a.registerFTBalances()
	a.registerPrincipalBalances()
	a.registerHolders()
	a.registerNFTLists()
	a.registerSupply()
	a.traceAccounts()
}
