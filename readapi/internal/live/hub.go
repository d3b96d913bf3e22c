package live

import (
	"errors"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Why nobody can begin to follow.
var (
	// ErrFull: there are as many as may be.
	ErrFull = errors.New("there are too many subscribers")
	// ErrClosed: nobody tells the hub anything.
	ErrClosed = errors.New("nothing is followed")
)

// Config of a Hub. The zero value of any field means its default.
type Config struct {
	// Most is how many may follow at a time; default 20,000.
	Most int
	// QueueMessages and QueueBytes bound what waits for one of them; default 1024 messages and 1 MiB. A single message may be
	// larger.
	QueueMessages, QueueBytes int
	// Registry that the metrics are registered with; default none.
	Registry prometheus.Registerer
}

// Defaults of Config.
const (
	MostDefault          = 20_000
	QueueMessagesDefault = 1024
	QueueBytesDefault    = 1 << 20
)

// Hub knows who follows what. It is safe for concurrent use; one goroutine alone tells it what happens.
type Hub struct {
	config  Config
	metrics *metrics

	subscribed sync.WaitGroup

	mu    sync.Mutex
	feeds map[Feed]map[*Subscriber]int64 // the step after which each one follows
	all   map[*Subscriber]struct{}
	open  bool
	// ready is closed while it is known where the chain stands, and when the hub is closed.
	ready chan struct{}
	awake bool
	// place is up to where everybody has been told.
	place Place
	// until is up to which step it is being found out what to tell those who followed when that began.
	until int64
}

// NewHub makes a hub, which is closed until Open.
func NewHub(config Config) *Hub {
	if config.Most <= 0 {
		config.Most = MostDefault
	}
	if config.QueueMessages <= 0 {
		config.QueueMessages = QueueMessagesDefault
	}
	if config.QueueBytes <= 0 {
		config.QueueBytes = QueueBytesDefault
	}
	return &Hub{
		config: config, metrics: newMetrics(config.Registry),
		feeds: map[Feed]map[*Subscriber]int64{}, all: map[*Subscriber]struct{}{}, ready: make(chan struct{}),
	}
}

// Open lets others subscribe.
func (h *Hub) Open() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = true
}

// Sleep forgets where the chain stands when nobody has subscribed, so that nothing need be told until Move; ok says so.
func (h *Hub) Sleep() (ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) > 0 {
		return false
	}
	if h.awake {
		h.awake, h.ready = false, make(chan struct{})
	}
	return true
}

// Ready is closed when it is known where the chain stands, or the hub is closed.
func (h *Hub) Ready() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ready
}

// Subscribe adds somebody who follows nothing yet, and who has to be closed. It returns ErrFull or ErrClosed.
func (h *Hub) Subscribe(protocol string) (*Subscriber, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.open:
		return nil, ErrClosed
	case len(h.all) >= h.config.Most:
		h.metrics.refused.Inc()
		return nil, ErrFull
	}
	s := &Subscriber{hub: h, protocol: protocol, delivered: h.metrics.delivered.WithLabelValues(protocol), wake: make(chan struct{}, 1)}
	h.all[s] = struct{}{}
	h.subscribed.Add(1)
	h.metrics.subscribers.WithLabelValues(protocol).Inc()
	return s, nil
}

// Place is up to where everybody has been told; ok is false while that is not known.
func (h *Hub) Place() (place Place, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place, h.open && h.awake
}

// Move says where the chain stands, or takes the hub to one in another instance of the list of steps: those who follow are told
// that they have to look for their positions there.
func (h *Hub) Move(to Place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.place, h.until = to, to.Step
	if !h.awake && h.open {
		h.awake = true
		close(h.ready)
	}
	for _, following := range h.feeds {
		for s := range following {
			following[s] = to.Step
			s.end(Moved)
		}
	}
}

// Begin says what is followed, before it is found out what the steps up to one have for that. Whoever begins to follow
// from then on is told of later steps alone.
func (h *Hub) Begin(until int64) map[Feed]struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = max(h.until, until)
	followed := make(map[Feed]struct{}, len(h.feeds))
	for feed := range h.feeds {
		followed[feed] = struct{}{}
	}
	return followed
}

// Followed are the feeds of some kinds that are followed.
func (h *Hub) Followed(kinds ...Kind) map[Feed]struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	followed := map[Feed]struct{}{}
	for feed := range h.feeds {
		if slices.Contains(kinds, feed.Kind) {
			followed[feed] = struct{}{}
		}
	}
	return followed
}

// Anybody says whether anybody follows anything.
func (h *Hub) Anybody() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.feeds) > 0
}

// Publish tells those who follow what the steps up to a place have for them, in the order of the steps.
func (h *Hub) Publish(deliveries []Delivery, to Place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range deliveries {
		for s, since := range h.feeds[d.Feed] {
			if d.Step > since {
				s.push(d.Entry)
			}
		}
	}
	h.place, h.until = to, max(h.until, to.Step)
}

// Tell tells those who follow some feeds what hangs on no step of the chain.
func (h *Hub) Tell(deliveries ...Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range deliveries {
		for s := range h.feeds[d.Feed] {
			s.push(d.Entry)
		}
	}
}

// Close ends all: they are told that the server stops.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open && !h.awake {
		close(h.ready)
	}
	h.open, h.awake = false, true
	for s := range h.all {
		s.end(Stopping)
	}
}

// Wait returns when nobody is subscribed any more. It is for after Close.
func (h *Hub) Wait() { h.subscribed.Wait() }
