// Package brc20 serves the BRC-20 operations of the ordinals family.
package brc20

import "strata/readapi/internal/engine"

// api holds the operations that the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package to an engine.
func Mount(e *engine.Engine) {
	e.TraceTables(tracedBRC20Block, tracedBRC20Token, tracedBRC20Operation, tracedBRC20Balance)
	a := &api{e}
	a.registerBRC20()
}
