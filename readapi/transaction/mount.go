// Package transaction holds the operations that read transactions and their events.
package transaction

import "strata/readapi/internal/engine"

// api is the engine, with the operations of the package as its methods.
type api struct{ *engine.Engine }

// Mount adds the operations of the package.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerTransaction()
	a.registerRawTransaction()
	a.registerTransactions()
	a.registerTransactionList()
	a.registerTransactionListV3()
	a.registerBlockTransactions()
	a.registerTransactionV3()
	a.registerTransactionBatch()
	a.registerTransactionEventsV3()
	a.registerBlockTransactionsV3()
}
