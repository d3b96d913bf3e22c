// Package stream tells clients what happens as it happens: server-sent events and WebSockets.
package stream

import "strata/readapi/internal/engine"

// api is what the package mounts on an engine.
type api struct {
	*engine.Engine
	streams Config
	live    *follower
}

// Mount adds the operations of the package.
func Mount(e *engine.Engine, config Config) {
	a := &api{Engine: e, streams: config.withDefaults()}
	a.live = newFollower(a)
	e.OnChange(a.live.look)
	e.Background(a.live.run)
	a.registerStreams()
}
