// Package site serves the pages that are a part of the program: the documentation, the OpenAPI document, and the
// console.
package site

import "strata/readapi/internal/engine"

// api holds the pages that the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the pages to an engine. Call it last: the OpenAPI document describes only the operations mounted before.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerDocumentation()
	a.registerConsole()
	a.registerHistory()
	a.registerRoot()
	a.Untraceable(engine.PartOfProgram, "openapi.json", "openapi.yaml", "openapi-3.0.json", "docs", "console", "root")
}
