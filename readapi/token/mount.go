// Package token has the metadata of tokens, as token-metadata-api answers, and the copies of their images.
package token

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct {
	*engine.Engine
	metadata Config
}

// Mount adds the operations of the package.
func Mount(e *engine.Engine, config Config) {
	a := &api{e, config}
	a.registerMetadata()
	a.registerImages()
	a.traceTokens()
}
