// Package site serves the pages that are a part of the program: the documentation, the OpenAPI document, and the
// console.
package site

import "strata/readapi/internal/engine"

// api holds the pages that the package mounts on an engine.
type api struct {
	*engine.Engine
	// notices returns what an operator should know; nil for nothing.
	notices func() []string
}

// Mount adds the pages to an engine. Call it last: the OpenAPI document describes only the operations mounted before.
// notices, if not nil, returns what an operator of the process should know, although its answers are right.
func Mount(e *engine.Engine, notices func() []string) {
	a := &api{e, notices}
	a.registerDocumentation()
	a.registerConsole()
	a.registerHistory()
	a.registerRoot()
	a.Untraceable(engine.PartOfProgram, "openapi.json", "openapi.yaml", "openapi-3.0.json", "docs", "console", "root")
}
