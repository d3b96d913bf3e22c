// Package balance serves the balances of accounts in STX, fungible and non-fungible tokens, the holders of tokens, and
// the supply of STX.
package balance

import "strata/readapi/internal/engine"

// api registers the package's operations on an engine and serves them.
type api struct{ *engine.Engine }

// Mount registers the package's operations on an engine.
func Mount(e *engine.Engine) {
	e.TraceTables(tracedBalanceBlock, tracedLock, tracedHolding, tracedLedger, tracedAsset, tracedCustody, tracedNFTEvent)
	a := &api{e}
	a.registerSTXBalances()
	a.registerBalances()
	a.registerFTBalances()
	a.registerPrincipalBalances()
	a.registerHolders()
	a.registerHoldersV3()
	a.registerNFTLists()
	a.registerNFTHistoryV3()
	a.registerSupply()
}
