// Package brc20 has the BRC-20 part of the ordinals family.
package brc20

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerBRC20()
	a.traceBRC20()
}
