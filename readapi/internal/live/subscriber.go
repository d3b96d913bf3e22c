package live

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Reason is why somebody is no longer told what happens.
type Reason string

// Reasons.
const (
	// Slow: what waits has become too much.
	Slow Reason = "slow"
	// Moved: the steps are those of another instance of the list.
	Moved Reason = "moved"
	// Stopping: the server stops.
	Stopping Reason = "stopping"
)

// Subscriber is somebody who follows feeds. What waits takes memory only while it waits.
type Subscriber struct {
	hub       *Hub
	protocol  string
	delivered prometheus.Counter
	wake      chan struct{}
	feeds     []Feed // guarded by hub.mu

	mu     sync.Mutex
	queue  []Entry
	bytes  int
	reason Reason
}

// Follow adds a feed, and says where: all that comes after this place is going to be told, and nothing before it. It does
// nothing for a feed that is followed already.
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

// Change of what somebody follows.
type Change struct {
	Feed  Feed
	Leave bool
}

// Answer puts something into the queue of this subscriber alone, and changes what it follows: all that a feed tells comes after
// the answer. What a feed has told that is left remains in the queue.
func (s *Subscriber) Answer(data []byte, changes ...Change) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.push(Entry{Message: &Message{Data: data}})
	for _, c := range changes {
		if !c.Leave {
			s.follow(c.Feed)
			continue
		}
		s.hub.leave(s, c.Feed)
		s.feeds = slices.DeleteFunc(s.feeds, func(f Feed) bool { return f == c.Feed })
	}
}

// LeaveAll ends following anything, and forgets what waits.
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

// Close takes the subscriber out of the hub. reason is for the metrics.
func (s *Subscriber) Close(reason Reason) {
	s.LeaveAll()
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.all[s]; ok {
		delete(h.all, s)
		h.subscribed.Done()
		h.metrics.subscribers.WithLabelValues(s.protocol).Dec()
		h.metrics.ended.WithLabelValues(s.protocol, string(reason)).Inc()
	}
}

// Wake is sent to when there is something to take.
func (s *Subscriber) Wake() <-chan struct{} { return s.wake }

// Take takes what waits. With a reason there may be more that does not: Moved is said once, and what waits then is of either
// instance.
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

// Stopped says whether the server stops.
func (s *Subscriber) Stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason == Stopping
}

// Overflown says whether too much waits, so that some of it is lost.
func (s *Subscriber) Overflown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason == Slow
}

// Told is up to where the subscriber has been told, when nothing waits.
func (s *Subscriber) Told() (place Place, ok bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hub.place, len(s.queue) == 0 && s.reason == ""
}

// push adds to the queue, under the lock of the hub.
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

// end says that what follows in the queue is not what should.
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
