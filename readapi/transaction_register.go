package readapi

// registerChainTransactions adds the reads of transactions, their events, and contracts.
func (a *API) registerChainTransactions() {
	a.registerTransaction()
	a.registerRawTransaction()
	a.registerTransactions()
	a.registerTransactionList()
	a.registerTransactionListV3()
	a.registerTransactionEvents()
	a.registerBlockTransactions()
	a.registerTransactionV3()
	a.registerTransactionEventsV3()
	a.registerBlockTransactionsV3()
	a.registerContract()
	a.registerContractStatuses()
	a.registerContractEvents()
	a.registerTraits()
}
