// Package bns serves the names of BNS-V2 under the paths of the public service for them, with further operations for
// what that service lacks: prices, primary names, listings, histories, and names at earlier blocks.
package bns

import (
	"context"
	"net/http"
	"reflect"

	"strata/readapi/internal/engine"
)

// Path is the prefix of the paths of all operations.
const Path = "/bns/v2"

// projection is the name of the projection that all operations read.
const projection = "bns"

// tag groups the operations in the description of the API.
const tag = "Names (BNS-V2)"

// api holds the operations that the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package to an engine.
func Mount(e *engine.Engine) {
	e.TraceTables(tracedName, tracedNamespace, tracedPrimary, tracedZonefile, tracedEvent, tracedPreorder)
	a := &api{e}
	a.registerLists()
	a.registerAddress()
	a.registerName()
	a.registerCanRegister()
	a.registerZonefile()
	a.registerSubdomain()
	a.registerToken()
	a.registerNamespace()
	a.registerPrice()
	a.registerHistory()
	a.registerListings()
	a.registerPreorders()
}

// get adds an operation. Its path begins after the prefix of the package. The answer to a request that names another
// network than the server's is 404.
func get[In networked, Out any](a *api, r engine.Operation, handler func(context.Context, *engine.Snapshot, *In) (Out, error)) {
	r.Path, r.Tag = Path+r.Path, tag
	r.Statuses = []int{http.StatusBadRequest, http.StatusNotFound}
	r.FailureBody, r.RefusalBody, r.Refuse = reflect.TypeFor[bnsFailureBody](), reflect.TypeFor[bnsFailureBody](), refuse
	engine.Get(a.Engine, r, func(ctx context.Context, s *engine.Snapshot, in *In) (out Out, err error) {
		if named := (*in).network(); named != "" && named != a.Config.Network {
			return out, notFound("This server has the names of " + a.Config.Network)
		}
		if _, ok := s.Tip(projection); !ok {
			return out, errNoBlock
		}
		return handler(ctx, s, in)
	})
}
