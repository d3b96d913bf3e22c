package live

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Reason is why a subscriber no longer gets messages.
type Reason string

// Reasons.
const (
	// Slow means that the queue overflowed; its entries were dropped.
	Slow Reason = "slow"
	// Moved means that the list of steps has a new instance.
	Moved Reason = "moved"
	// Stopping means that the server stops.
	Stopping Reason = "stopping"
)

// Subscriber follows feeds and has a queue of messages. An empty queue takes no memory.
type Subscriber struct {
	hub       *Hub
	client    netip.Prefix
	protocol  string
	delivered prometheus.Counter
	wake      chan struct{}
	feeds     []Feed // guarded by hub.mu

	mu     sync.Mutex
	queue  []Entry
	bytes  int
	reason Reason
}

// Follow adds a feed and returns the place where it starts: the subscriber gets all messages of later steps, and none of
// earlier ones. Following a feed again has no effect.
func (s *Subscriber) Follow(feed Feed) Place {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.follow(feed)
}

func (s *Subscriber) follow(feed Feed) Place {
	h := s.hub
	place := h.place
	place.Step = max(place.Step, h.until)
	if slices.Contains(s.feeds, feed) {
		return place
	}
	if h.feeds[feed] == nil {
		h.feeds[feed] = map[*Subscriber]int64{}
	}
	h.feeds[feed][s] = place.Step
	s.feeds = append(s.feeds, feed)
	if !h.open {
		s.end(Stopping)
	}
	return place
}

// Change is a feed to follow or to leave.
type Change struct {
	Feed  Feed
	Leave bool
}

// Answer puts data into the queue of this subscriber alone, and changes the feeds that it follows. Messages of a new feed
// come after the data. Messages of a feed that it leaves stay in the queue.
func (s *Subscriber) Answer(data []byte, changes ...Change) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.push(Entry{Message: &Message{Data: data}})
	s.change(changes)
}

// Change changes the feeds that the subscriber follows. Messages of a feed that it leaves stay in the queue.
func (s *Subscriber) Change(changes ...Change) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.change(changes)
}

func (s *Subscriber) change(changes []Change) {
	for _, c := range changes {
		if !c.Leave {
			s.follow(c.Feed)
			continue
		}
		s.hub.leave(s, c.Feed)
		s.feeds = slices.DeleteFunc(s.feeds, func(f Feed) bool { return f == c.Feed })
	}
}

// LeaveAll leaves all feeds and empties the queue.
func (s *Subscriber) LeaveAll() {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, feed := range s.feeds {
		h.leave(s, feed)
	}
	s.feeds = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue, s.bytes = nil, 0
	if s.reason != Stopping {
		s.reason = ""
	}
}

func (h *Hub) leave(s *Subscriber, feed Feed) {
	delete(h.feeds[feed], s)
	if len(h.feeds[feed]) == 0 {
		delete(h.feeds, feed)
	}
}

// Close removes the subscriber from the hub. The metrics count the reason. Closing it again has no effect.
func (s *Subscriber) Close(reason Reason) {
	s.LeaveAll()
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.all[s]; ok {
		delete(h.all, s)
		if h.clients[s.client]--; h.clients[s.client] <= 0 {
			delete(h.clients, s.client)
		}
		h.subscribed.Done()
		h.metrics.subscribers.WithLabelValues(s.protocol).Dec()
		h.metrics.ended.WithLabelValues(s.protocol, string(reason)).Inc()
	}
}

// Wake returns a channel that receives when there is something to take.
func (s *Subscriber) Wake() <-chan struct{} { return s.wake }

// Take empties the queue and returns its entries. A reason means that messages may be missing. Moved is reported once; the
// entries that come with it may belong to either instance.
func (s *Subscriber) Take() (entries []Entry, reason Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, reason = s.queue, s.reason
	s.queue, s.bytes = nil, 0
	if reason == Moved {
		s.reason = ""
	}
	return entries, reason
}

// Stopped reports whether the server stops.
func (s *Subscriber) Stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason == Stopping
}

// Overflowed reports whether the queue has overflowed, so that messages are lost.
func (s *Subscriber) Overflowed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason == Slow
}

// DeliveredUpTo returns the place up to which the subscriber has taken all messages; ok is false if entries wait in the queue, or
// there is a reason.
func (s *Subscriber) DeliveredUpTo() (place Place, ok bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hub.place, len(s.queue) == 0 && s.reason == ""
}

// push adds an entry to the queue. The caller holds hub.mu.
func (s *Subscriber) push(e Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.reason == Slow || s.reason == Stopping:
		return
	case len(s.queue) >= s.hub.config.QueueMessages, len(s.queue) > 0 && s.bytes+len(e.Data) > s.hub.config.QueueBytes:
		s.reason, s.queue, s.bytes = Slow, nil, 0
	default:
		s.queue = append(s.queue, e)
		s.bytes += len(e.Data)
		s.delivered.Inc()
	}
	s.signal()
}

// end records the reason why the following messages are not what they should be.
func (s *Subscriber) end(reason Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason == "" || reason == Stopping {
		s.reason = reason
	}
	s.signal()
}

func (s *Subscriber) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
