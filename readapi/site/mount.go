// Package site has the pages that come with the program: the documentation, its description for machines, and the console.
package site

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the pages. It comes last: the description is of what is mounted before.
func Mount(e *engine.Engine) {
	a := &api{e}
	a.registerDocumentation()
	a.registerConsole()
}
