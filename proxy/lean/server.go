package lean

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"strata/internal/progress"
)

// Server serves a listener. Its exported fields are required, and must not be changed after Serve.
type Server struct {
	// HTTP has the handler and the timeouts, and serves the requests that are not plain.
	HTTP *http.Server
	// Serves reports whether this server serves plain requests for a target (path and query, as sent).
	Serves func(target string) bool
	// Stall is how long a client may take for a piece of an answer; default progress.Stall.
	Stall time.Duration

	started  time.Time
	clock    atomic.Int64           // milliseconds since started, at the last check of the connections
	date     atomic.Pointer[string] // the header field Date with its line end
	stopping atomic.Bool
	handoff  *handoffListener

	mu       sync.Mutex
	listener net.Listener
	conns    map[*conn]struct{}
}

// Serve serves the connections of a listener until Shutdown or Close, and then returns http.ErrServerClosed. It must
// not be called twice.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.stopping.Load() {
		s.mu.Unlock()
		_ = l.Close()
		return http.ErrServerClosed
	}
	s.started, s.listener, s.conns, s.handoff = time.Now(), l, map[*conn]struct{}{}, newHandoffListener(l.Addr())
	s.setClock(s.started)
	if s.Stall <= 0 {
		s.Stall = progress.Stall
	}
	s.mu.Unlock()
	ended := make(chan struct{})
	defer close(ended)
	go s.check(ended)
	go func() { _ = s.HTTP.Serve(s.handoff) }() // ends with Shutdown and Close
	return s.accept(l)
}

// accept starts serving each new connection. If the system has run out of file descriptors, it waits and tries again.
func (s *Server) accept(l net.Listener) error {
	const shortest, longest = 5 * time.Millisecond, time.Second
	for pause := shortest; ; {
		accepted, err := l.Accept()
		var network net.Error
		switch {
		case err == nil:
			pause = shortest
			progress.LimitUnsent(accepted)
			c := newConn(s, accepted)
			if !s.remember(c) {
				_ = accepted.Close()
				continue
			}
			go c.serveRequests()
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

// Shutdown accepts no more connections and requests, and waits for the requests in progress, also those of net/http. If
// ctx ends first, Shutdown returns its error, and the requests in progress go on until Close.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	netHTTP := make(chan error, 1)
	go func() { netHTTP <- s.HTTP.Shutdown(ctx) }()
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
	return <-netHTTP
}

// stop closes the listener and refuses further requests.
func (s *Server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping.Store(true)
	if s.listener != nil {
		_ = s.listener.Close()
	}
}

// closeUnused closes the connections without a request, and reports whether no connection is left.
func (s *Server) closeUnused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		old := c.state.Load()
		if p, since := phaseOf(old); (p == idle || p == readingHead) && c.state.CompareAndSwap(old, state(closed, since)) {
			_ = c.net.Close()
		}
	}
	return len(s.conns) == 0
}

// Close closes all connections at once.
func (s *Server) Close() error {
	s.stop()
	s.mu.Lock()
	for c := range s.conns {
		switch c.enter(closed) {
		case closed: // net/http may have the connection
			continue
		case serving:
			go c.watch() // its read fails, which cancels the request
		case idle, readingHead, readingBody, servingWatched:
		}
		_ = c.net.Close()
	}
	s.mu.Unlock()
	return s.HTTP.Close()
}
