// Package account has the reads of what accounts do: transactions, events, transfers, nonces, changes of balances.
package account

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerAccountTransactions()
	a.registerAccountAssets()
	a.registerInbound()
	a.registerTransfers()
	a.registerAccountTransactionsV2()
	a.registerAccountEventsV2()
	a.registerAccountTransactionsV3()
	a.registerBalanceChanges()
	a.registerNonces()
	a.registerTransactionEvents()
}
