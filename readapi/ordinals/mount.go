// Package ordinals has what ordinals-api answers, except BRC-20.
package ordinals

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct {
	*engine.Engine
	// bareTxID says that tx_id of inscriptions is without 0x.
	bareTxID bool
}

// Mount adds the operations of the package. With bareTxID tx_id of inscriptions is without 0x, as ordinals-api has it.
func Mount(e *engine.Engine, bareTxID bool) {
	a := &api{e, bareTxID}
	a.registerOrdinalsStatus()
	a.registerInscriptions()
	a.registerBlockTransfers()
	a.registerInscription()
	a.registerInscriptionContent()
	a.registerInscriptionTransfers()
	a.registerSatoshis()
	a.registerOrdinalsStats()
	a.traceInscriptions()
}
