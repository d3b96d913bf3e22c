// Package ordinals serves the operations of ordinals-api, except those of BRC-20.
package ordinals

import "strata/readapi/internal/engine"

// api holds the operations that the package mounts on an engine.
type api struct {
	*engine.Engine
	// bareTxID omits the 0x of transaction ids in inscriptions.
	bareTxID bool
}

// Mount adds the operations of the package to an engine. With bareTxID, transaction ids in inscriptions have no 0x, as in
// ordinals-api.
func Mount(e *engine.Engine, bareTxID bool) {
	e.TraceTables(tracedInscribedBlock, tracedInscription, tracedLocation, tracedSatoshi)
	a := &api{e, bareTxID}
	a.registerOrdinalsStatus()
	a.registerInscriptions()
	a.registerBlockTransfers()
	a.registerInscription()
	a.registerInscriptionContent()
	a.registerInscriptionTransfers()
	a.registerSatoshis()
	a.registerOrdinalsStats()
}
