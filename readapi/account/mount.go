// Package account serves the activity of accounts: transactions, events, transfers, nonces and balance changes.
package account

import "strata/readapi/internal/engine"

// api registers the package's operations on an engine and serves them.
type api struct{ *engine.Engine }

// Mount registers the package's operations on an engine.
func Mount(e *engine.Engine) {
	e.TraceTables(tracedNonce)
	a := &api{e}
	a.registerAccountTransactions()
	a.registerAccountAssets()
	a.registerInbound()
	a.registerTransfersV3()
	a.registerMining()
	a.registerTransfers()
	a.registerAccountTransactionsV2()
	a.registerAccountEventsV2()
	a.registerAccountTransactionsV3()
	a.registerBalanceChanges()
	a.registerNonces()
	a.registerTransactionEvents()
}
