package lean

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server serves a listener. Its fields are required, and must not be changed once it serves.
type Server struct {
	// HTTP has the handler and the timeouts, and serves the requests that are not plain.
	HTTP *http.Server
	// Serves says whether plain requests for a target (path and query, as they were sent) are served here.
	Serves func(target string) bool

	started  time.Time
	clock    atomic.Int64           // milliseconds since then, as of the last look at the connections
	date     atomic.Pointer[string] // header field Date, with its line end
	stopping atomic.Bool
	others   *others

	mu       sync.Mutex
	listener net.Listener
	conns    map[*conn]struct{}
}

// Serve serves the connections of a listener until Shutdown or Close, and then returns http.ErrServerClosed. It must be
// called once.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.stopping.Load() {
		s.mu.Unlock()
		_ = l.Close()
		return http.ErrServerClosed
	}
	s.started, s.listener, s.conns, s.others = time.Now(), l, map[*conn]struct{}{}, newOthers(l.Addr())
	s.tell(s.started)
	s.mu.Unlock()
	ended := make(chan struct{})
	defer close(ended)
	go s.look(ended)
	go func() { _ = s.HTTP.Serve(s.others) }() // ends with Shutdown and Close
	return s.accept(l)
}

// accept begins with each connection. Where the system is out of files it waits for some to be closed.
func (s *Server) accept(l net.Listener) error {
	const shortest, longest = 5 * time.Millisecond, time.Second
	for pause := shortest; ; {
		accepted, err := l.Accept()
		var network net.Error
		switch {
		case err == nil:
			pause = shortest
			c := newConn(s, accepted)
			if !s.remember(c) {
				_ = accepted.Close()
				continue
			}
			go c.converse()
		case s.stopping.Load():
			return http.ErrServerClosed
		case errors.As(err, &network) && network.Temporary(): //nolint:staticcheck // as net/http does
			s.logf("http: Accept error: %v; retrying in %v", err, pause)
			time.Sleep(pause)
			pause = min(2*pause, longest)
		default:
			_ = s.Close()
			return err
		}
	}
}

func (s *Server) remember(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping.Load() {
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// Shutdown takes no more connections and requests, waits for those that are served, here and by net/http, and returns. If
// ctx ends first, its error is returned, and what is served goes on until Close.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	others := make(chan error, 1)
	go func() { others <- s.HTTP.Shutdown(ctx) }()
	const pause = 5 * time.Millisecond
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for !s.closeUnused() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return <-others
}

// stop stops listening.
func (s *Server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping.Store(true)
	if s.listener != nil {
		_ = s.listener.Close()
	}
}

// closeUnused closes connections without a request, and says whether there are no others.
func (s *Server) closeUnused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		old := c.state.Load()
		if p, since := phaseOf(old); (p == idle || p == reading) && c.state.CompareAndSwap(old, state(closed, since)) {
			_ = c.net.Close()
		}
	}
	return len(s.conns) == 0
}

// Close ends all connections at once.
func (s *Server) Close() error {
	s.stop()
	s.mu.Lock()
	for c := range s.conns {
		switch c.enter(closed) {
		case closed: // net/http may have it
			continue
		case serving:
			go c.watch() // which ends the request
		case idle, reading, filling, watched:
		}
		_ = c.net.Close()
	}
	s.mu.Unlock()
	return s.HTTP.Close()
}
