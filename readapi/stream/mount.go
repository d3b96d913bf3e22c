// Package stream serves live updates: streams of server-sent events, and subscriptions over WebSockets.
package stream

import "strata/readapi/internal/engine"

// api holds the handlers that Mount registers.
type api struct {
	*engine.Engine
	streams Config
	live    *follower
}

// Mount registers the streams and the WebSocket with an engine, and starts the follower in its background.
func Mount(e *engine.Engine, config Config) {
	a := &api{Engine: e, streams: config.withDefaults()}
	a.live = newFollower(a)
	e.OnChange(a.live.wakeUp)
	e.Background(a.live.run)
	a.registerStreams()
}
