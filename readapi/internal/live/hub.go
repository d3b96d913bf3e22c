package live

import (
	"errors"
	"net/netip"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Errors of Subscribe.
var (
	// ErrFull is returned if the hub has Config.Most subscribers.
	ErrFull = errors.New("there are too many subscribers")
	// ErrClientFull is returned if the client has Config.PerClient subscribers.
	ErrClientFull = errors.New("this client has too many subscribers")
	// ErrClosed is returned if the hub is not open.
	ErrClosed = errors.New("nothing is followed")
)

// Config configures a Hub. The zero value of any field means its default.
type Config struct {
	// Most is the maximum number of subscribers; default 20,000.
	Most int
	// PerClient is the maximum number of subscribers of one client; default unlimited.
	PerClient int
	// QueueMessages and QueueBytes bound the queue of each subscriber; default 1024 messages and 1 MiB. A single message may
	// be larger.
	QueueMessages, QueueBytes int
	// Registry is where the metrics are registered; default none.
	Registry prometheus.Registerer
}

// Defaults of Config.
const (
	MostDefault          = 20_000
	QueueMessagesDefault = 1024
	QueueBytesDefault    = 1 << 20
)

// Hub distributes messages to the subscribers of feeds. It is safe for concurrent use, but only one goroutine may publish.
type Hub struct {
	config  Config
	metrics *metrics

	subscribed sync.WaitGroup

	mu    sync.Mutex
	feeds map[Feed]map[*Subscriber]int64 // the step after which each subscriber gets messages
	all   map[*Subscriber]struct{}
	// clients has the number of subscribers of each client, if Config.PerClient is set.
	clients map[netip.Prefix]int
	open    bool
	// ready is closed while the hub knows the place of the chain, and when the hub is closed.
	ready chan struct{}
	awake bool
	// place is the last step that was published.
	place Place
	// until is the last step whose messages are being prepared. They are prepared for the feeds that had subscribers when
	// that began, so a later subscriber starts after it.
	until int64
}

// NewHub returns a hub that accepts subscribers from Open on.
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
		feeds: map[Feed]map[*Subscriber]int64{}, all: map[*Subscriber]struct{}{}, clients: map[netip.Prefix]int{}, ready: make(chan struct{}),
	}
}

// Open lets the hub accept subscribers.
func (h *Hub) Open() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = true
}

// Sleep puts a hub without subscribers to sleep, so that nothing needs to be published until Move. It returns false if the
// hub has subscribers.
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

// Ready returns a channel that is closed when the hub knows the place of the chain, or when the hub is closed.
func (h *Hub) Ready() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ready
}

// Subscribe adds a subscriber of a client that follows no feed yet. The caller must close it. The error is ErrFull,
// ErrClientFull or ErrClosed.
func (h *Hub) Subscribe(protocol string, client netip.Prefix) (*Subscriber, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.open:
		return nil, ErrClosed
	case len(h.all) >= h.config.Most:
		h.metrics.refused.Inc()
		return nil, ErrFull
	case h.config.PerClient > 0 && h.clients[client] >= h.config.PerClient:
		h.metrics.refused.Inc()
		return nil, ErrClientFull
	}
	s := &Subscriber{hub: h, client: client, protocol: protocol, delivered: h.metrics.delivered.WithLabelValues(protocol), wake: make(chan struct{}, 1)}
	h.all[s] = struct{}{}
	if h.config.PerClient > 0 {
		h.clients[client]++
	}
	h.subscribed.Add(1)
	h.metrics.subscribers.WithLabelValues(protocol).Inc()
	return s, nil
}

// Place returns the last step that was published; ok is false while the hub sleeps or is closed.
func (h *Hub) Place() (place Place, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place, h.open && h.awake
}

// Move sets the place of the chain: when the hub wakes up, or when the list of steps has a new instance. Subscribers get the
// reason Moved, and have to find their positions in the new instance.
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

// Begin returns the feeds that have subscribers, before the messages of the steps up to until are prepared. A subscriber
// that follows a feed after Begin gets only messages of later steps.
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

// Followed returns the feeds of these kinds that have subscribers.
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

// Anybody reports whether any feed has a subscriber.
func (h *Hub) Anybody() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.feeds) > 0
}

// Publish delivers the messages of the steps up to a place. The deliveries must be in the order of the steps.
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

// Tell delivers messages that don't belong to a step of the chain.
func (h *Hub) Tell(deliveries ...Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range deliveries {
		for s := range h.feeds[d.Feed] {
			s.push(d.Entry)
		}
	}
}

// Close closes the hub. Subscribers get the reason Stopping.
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

// Wait waits until all subscribers are closed. Call it after Close.
func (h *Hub) Wait() { h.subscribed.Wait() }
