// Package audit serves what leads from any row to the bytes that caused it: events, their proofs, traces and
// quarantine.
package audit

import (
	"strata/readapi/internal/engine"
)

// api holds the handlers that Mount registers.
type api struct {
	*engine.Engine
}

// Mount registers the operations of the package with an engine. With a nil log, the operations of the transparency log
// are described, and answer 404.
func Mount(e *engine.Engine, log TransparencyLog) {
	e.TraceTables(tracedEvent, tracedQuarantine, tracedNegative, tracedNarrowCopy, tracedFeedAnomaly, tracedNegativeToken, tracedUnknownField)
	a := &api{e}
	a.registerAuditEvents()
	a.registerAuditBodies()
	a.registerQuarantine()
	a.registerProjections()
	a.registerNegativeBalances()
	a.registerNarrowCopies()
	a.registerFeedAnomalies()
	a.registerUnknownFields()
	a.registerTrace()
	a.serveLog(log)
}
