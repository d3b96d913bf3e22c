package readapi

// registerMempool adds the reads of what waits to be mined.
func (a *API) registerMempool() {
	a.registerMempoolLists()
	a.registerMempoolListsV3()
	a.registerMempoolStats()
	a.registerFeeRate()
}
