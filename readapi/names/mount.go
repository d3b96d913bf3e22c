// Package names serves the operations on names of the first naming system, BNS v1, under the paths of
// stacks-blockchain-api. Its answers never mix in names of other registries.
package names

import (
	"context"

	"strata/domain/clarity"
	"strata/readapi/internal/engine"
)

// Config configures the operations on names. The zero value of a field means its default.
type Config struct {
	// CallRead calls a read-only function of a contract on a node, for the prices of names in namespaces whose launch is
	// not in the log. The value is zero if the call failed on the chain. Nil means that there is no node.
	CallRead func(ctx context.Context, contract clarity.Principal, function string, arguments ...clarity.Value) (clarity.Value, error)
}

// api holds the operations that the package mounts on an engine.
type api struct {
	*engine.Engine
	config Config
}

// Mount adds the operations of the package to an engine.
func Mount(e *engine.Engine, config Config) {
	e.TraceTables(tracedOperation, tracedNamespace, tracedName, tracedZonefile, tracedSubdomain)
	a := &api{e, config}
	a.registerNames()
	a.registerNamespaces()
	a.registerZonefiles()
	a.registerOwner()
	a.registerPrices()
}

// tag groups the operations in the documentation.
const tag = "Names"

// UnanchoredInput is the query parameter that all operations of the reference take.
type UnanchoredInput struct {
	Unanchored bool `query:"unanchored" default:"false" doc:"Accepted without effect: microblocks no longer exist."`
}
