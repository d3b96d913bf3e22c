// Package audit has what leads from any row to the bytes that caused it: events, their proofs, traces, quarantine.
package audit

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package. With a nil log those of the transparency log are described, and answer 404.
func Mount(e *engine.Engine, log TransparencyLog) {
	a := &api{e}
	a.registerAuditEvents()
	a.registerAuditBodies()
	a.registerQuarantine()
	a.registerProjections()
	a.registerNegativeBalances()
	a.registerTrace()
	a.traceAudit()
	a.serveLog(log)
}
