package readapi

// registerOrdinals adds the ordinals family: what ordinals-api answers, but for BRC-20.
func (a *API) registerOrdinals() {
	a.registerOrdinalsStatus()
	a.registerInscriptions()
	a.registerBlockTransfers()
	a.registerInscription()
	a.registerInscriptionContent()
	a.registerInscriptionTransfers()
	a.registerSatoshis()
	a.registerOrdinalsStats()
}
