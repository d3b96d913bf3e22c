package stream

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/stream/internal/socketio"
)

// Clients of Socket.IO are pinged less often than those of WebSockets: their library expects so much. These are multiples of
// Config.PingInterval, by default 25 s and 20 s.
const (
	roomPingInterval = 5
	roomPingTimeout  = 4
)

// refusalBody is what Engine.IO says of a request that it refuses.
type refusalBody struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (a *api) registerSocketIO() {
	server := socketio.New(socketio.Config{
		Subscribe: func(ctx context.Context) (*live.Subscriber, error) { return a.live.subscribe(ctx, "socketio") },
		Refuse:    refuseStream, Topic: parseRoom, Reverts: live.Feed{Kind: socketReverts}, Logger: a.Config.Logger,
		TopicsMost: subscriptionsMost, WriteTimeout: a.streams.WriteTimeout,
		PingInterval: roomPingInterval * a.streams.PingInterval, PingTimeout: roomPingTimeout * a.streams.PingInterval,
	})
	serve := func(w http.ResponseWriter, r *http.Request) { server.ServeHTTP(smallBuffers{w}, r) }
	description := " Socket.IO (protocol 5, Engine.IO 4), over WebSockets and long polling, for clients such as `socket.io-client`. " +
		"Topics are named in the query `subscriptions`, or with the events `subscribe` and `unsubscribe`. See docs/live.md."
	unavailable := a.SchemaOf(reflect.TypeFor[engine.UnavailableBody]())
	refusal := a.SchemaOf(reflect.TypeFor[refusalBody]())
	for _, o := range []struct{ method, id, summary, about string }{
		{http.MethodGet, "socketio", "Subscriptions over Socket.IO", "Opens a session, upgrades one to a WebSocket, or polls for its packets."},
		{http.MethodPost, "socketio-send", "Send packets of Socket.IO", "Brings packets of a session that polls."},
	} {
		a.Plain(o.method+" /socket.io", o.id, serve)
		a.Untraceable(untracedStream, o.id)
		a.OpenAPI().AddOperation(&huma.Operation{
			Method: o.method, Path: "/socket.io/", OperationID: o.id, Tags: []string{"Streams"}, Summary: o.summary, Description: o.about + description,
			Responses: map[string]*huma.Response{
				"200": {Description: "Packets of Engine.IO.", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}}},
				"400": {
					Description: "The request does not keep to the protocol, or its session has ended.",
					Content:     map[string]*huma.MediaType{"application/json": {Schema: refusal}},
				},
				"503": {
					Description: "The maximum number of streams is open: Retry-After says when to try again.",
					Content:     map[string]*huma.MediaType{"application/json": {Schema: unavailable}},
				},
			},
		})
	}
}
