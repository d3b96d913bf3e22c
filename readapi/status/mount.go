// Package status says how the server and its archive are.
package status

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct {
	*engine.Engine
	// lagLimit is how many items of its input an active projection may be behind before the server is not ready.
	lagLimit int64
}

// Mount adds the operations of the package. The server is not ready while an active projection is more than lagLimit items of
// its input behind.
func Mount(e *engine.Engine, lagLimit int64) {
	a := &api{e, lagLimit}
	a.registerStatus()
	a.registerHealth()
}
