// Package token serves the metadata of tokens, in the shape of token-metadata-api, and the copies of their images.
package token

import (
	"strata/domain/token"
	"strata/readapi/internal/engine"
)

// api holds the handlers that Mount registers.
type api struct {
	*engine.Engine
	metadata Config
}

// Mount registers the operations of the package with an engine.
func Mount(e *engine.Engine, config Config) {
	e.TraceTables(tracedTokens[token.FT].contract, tracedTokens[token.FT].token)
	a := &api{e, config}
	a.registerMetadata()
	a.registerImages()
}
