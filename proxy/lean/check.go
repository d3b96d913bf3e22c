package lean

import (
	"net/http"
	"time"
)

// lookInterval is how often all connections are looked at. The clock stands still meanwhile.
const lookInterval = 50 * time.Millisecond

// look looks at the connections until ended is closed and none is left.
func (s *Server) look(ended <-chan struct{}) {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		now := <-ticker.C
		s.tell(now)
		if s.lookAtAll() == 0 {
			select {
			case <-ended:
				return
			default:
			}
		}
	}
}

// tell sets the clock, and the date that answers have.
func (s *Server) tell(now time.Time) {
	s.clock.Store(now.Sub(s.started).Milliseconds())
	date := now.UTC().Format("Date: " + http.TimeFormat + "\r\n")
	if before := s.date.Load(); before == nil || *before != date {
		s.date.Store(&date)
	}
}

func (s *Server) lookAtAll() (connections int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.look(s.clock.Load())
	}
	return len(s.conns)
}

// look ends the connection if it took too long, and has its client watched if the handler takes a while.
func (c *conn) look(now int64) {
	seen := c.state.Load()
	p, since := phaseOf(seen)
	limits, took := c.server.HTTP, time.Duration(now-since)*time.Millisecond
	switch p {
	case idle:
		c.limit(seen, took, limits.IdleTimeout, limits.ReadTimeout)
	case reading:
		c.limit(seen, took, limits.ReadHeaderTimeout, limits.ReadTimeout)
	case filling:
		c.limit(seen, took, limits.ReadTimeout, 0)
	case serving:
		// By the clock an interval is over at once for what came just before.
		if took > lookInterval*3/2 && c.state.CompareAndSwap(seen, state(watched, since)) {
			go c.watch()
		}
	case watched:
		c.limit(seen, took, limits.WriteTimeout, 0)
	case closed:
	}
}

// limit closes the connection if it still is as it was seen, and took longer than a timeout, or than another where that is 0.
func (c *conn) limit(seen uint64, took, timeout, fallback time.Duration) {
	if timeout <= 0 {
		timeout = fallback
	}
	if timeout > 0 && took > timeout && c.state.CompareAndSwap(seen, state(closed, 0)) {
		_ = c.net.Close()
	}
}
