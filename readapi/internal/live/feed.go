package live

// Kind is the subject of a feed, such as blocks.
type Kind string

// Feed is something to follow: all events of a kind, or only those that concern one principal or thing.
type Feed struct {
	Kind Kind
	// Name is the principal or thing; empty for all of them.
	Name string
	// Detail narrows the feed further; empty for no restriction.
	Detail string
}

// Message is a message of a feed, encoded once for all subscribers.
type Message struct {
	// Step is the number of the step in its instance of the list of steps.
	Step int64
	// Position is the position of a client that has received the whole step.
	Position Position
	Data     []byte
	// Whole replaces Data in the last message of the step, where that one says more; nil for no difference.
	Whole []byte
	// Event returns the message in the form of an event of Socket.IO; nil for a message that has none. The form is made at
	// the first call, once for all subscribers.
	Event func() []byte
}

// Entry is a message in a queue.
type Entry struct {
	*Message
	// Last is set if the step has no further message for the feed.
	Last bool
}

// Text returns the bytes to send.
func (e Entry) Text() []byte {
	if e.Last && e.Whole != nil {
		return e.Whole
	}
	return e.Data
}

// Delivery is a message for a feed.
type Delivery struct {
	Feed Feed
	Entry
}

// Place is a step in an instance of the list of steps.
type Place struct {
	// Instance identifies the list: in another one, the steps have other numbers.
	Instance string
	Step     int64
	Position Position
}
