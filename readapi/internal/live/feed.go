package live

// Kind is what a feed is about.
type Kind string

// Feed is something to follow: all of a kind, or what concerns somebody or something alone.
type Feed struct {
	Kind Kind
	// Name is of whom or what it is about, such as a principal; empty for all.
	Name string
	// Detail narrows it down further; empty for no more.
	Detail string
}

// Message is what a feed says, encoded once for all who follow it.
type Message struct {
	// Step is the number of the step in its instance of the list of steps.
	Step int64
	// Position is what a client has that has got all of the step.
	Position Position
	Data     []byte
	// Whole is Data as the last of the step, where that says something more; nil for the same.
	Whole []byte
}

// Entry is a message in a queue.
type Entry struct {
	*Message
	// Last says that the step has no further message for that feed.
	Last bool
}

// Text is what is sent.
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
	// Instance tells the list from others, whose steps have other numbers.
	Instance string
	Step     int64
	Position Position
}
