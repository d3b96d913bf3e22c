package readapi

// registerAccounts adds the reads of what accounts do and have.
func (a *API) registerAccounts() {
	a.registerAccountTransactions()
	a.registerAccountAssets()
	a.registerInbound()
	a.registerTransfers()
	a.registerAccountTransactionsV2()
	a.registerAccountEventsV2()
	a.registerAccountTransactionsV3()
	a.registerBalanceChanges()
	a.registerFTBalances()
	a.registerPrincipalBalances()
	a.registerNonces()
}
