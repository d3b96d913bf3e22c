// Package status serves the status, health and readiness of the server and its archive.
package status

import "strata/readapi/internal/engine"

// api registers the package's operations on an engine and serves them.
type api struct {
	*engine.Engine
	// lagLimit is the maximum lag of an active projection of a ready server, in items of the projection's input.
	lagLimit int64
	// notices returns what an operator should know; nil for nothing.
	notices func() []Notice
	// compareProblem returns why accounts could not be compared with a node; nil for nothing.
	compareProblem func() string
}

// Mount registers the package's operations on an engine. The server is not ready while an active projection lags by
// more than lagLimit items of its input. notices, if not nil, returns what an operator of the process should know,
// and compareProblem why accounts could not be compared with a node.
func Mount(e *engine.Engine, lagLimit int64, notices func() []Notice, compareProblem func() string) {
	a := &api{e, lagLimit, notices, compareProblem}
	a.registerStatus()
	a.registerHealth()
}
