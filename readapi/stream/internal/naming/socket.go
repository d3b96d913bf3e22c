package naming

import "strata/readapi/internal/live"

// Kinds of the feeds of names for clients of WebSockets and of Socket.IO.
const (
	SocketAll       live.Kind = "socket-names"      // of both registries
	SocketName      live.Kind = "socket-name"       // the name is that of a name
	SocketNamespace live.Kind = "socket-namespaces" // the name is that of a namespace
)

// Events of WebSockets that have these feeds.
const (
	EventAll       = "names_event"
	EventName      = "name_event"
	EventNamespace = "namespace_event"
)

// SocketKinds are the kinds of all these feeds.
var SocketKinds = []live.Kind{SocketAll, SocketName, SocketNamespace}

// SocketFeeds returns the feeds of SocketKinds that deliver the event.
func (e *Event) SocketFeeds() []live.Feed {
	feeds := []live.Feed{{Kind: SocketAll}}
	if e.Name != "" {
		feeds = append(feeds, live.Feed{Kind: SocketName, Name: e.Name})
	}
	if e.Namespace != "" {
		feeds = append(feeds, live.Feed{Kind: SocketNamespace, Name: e.Namespace})
	}
	return feeds
}

// Lengths of the parameters of the events, in bytes.
const (
	nameMost      = 128
	namespaceMost = 64
)

// ParseName takes the parameter of EventName as it is; ok is false for one that is empty or too long.
func ParseName(text string) (name string, ok bool) { return text, text != "" && len(text) <= nameMost }

// ParseNamespace takes the parameter of EventNamespace as it is; ok is false for one that is empty or too long.
func ParseNamespace(text string) (namespace string, ok bool) {
	return text, text != "" && len(text) <= namespaceMost
}
