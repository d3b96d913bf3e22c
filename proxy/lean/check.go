package lean

import (
	"net/http"
	"time"
)

// checkInterval is the time between two checks of all connections. The server's clock stands still between them.
const checkInterval = 50 * time.Millisecond

// check checks the connections at intervals, until ended is closed and no connection is left.
func (s *Server) check(ended <-chan struct{}) {
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for last := s.started; ; {
		now := <-ticker.C
		s.setClock(now)
		step := now.Sub(last)
		last = now
		if s.checkAll(step) == 0 {
			select {
			case <-ended:
				return
			default:
			}
		}
	}
}

// setClock sets the clock, and the Date of answers.
func (s *Server) setClock(now time.Time) {
	s.clock.Store(now.Sub(s.started).Milliseconds())
	date := now.UTC().Format("Date: " + http.TimeFormat + "\r\n")
	if before := s.date.Load(); before == nil || *before != date {
		s.date.Store(&date)
	}
}

// checkAll checks all connections, a step after the last time, and returns how many there are.
func (s *Server) checkAll(step time.Duration) (connections int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.check(s.clock.Load(), step)
	}
	return len(s.conns)
}

// check closes the connection if it has exceeded a timeout, and starts to watch its client if the handler is slow.
func (c *conn) check(now int64, step time.Duration) {
	seen := c.state.Load()
	p, since := phaseOf(seen)
	if c.stall.observe(c.pieces.Load(), step) > c.server.Stall {
		c.enter(closed)
		_ = c.net.Close() // the write fails, which cancels the request
		return
	}
	limits, took := c.server.HTTP, time.Duration(now-since)*time.Millisecond
	switch p {
	case idle:
		c.limit(seen, took, limits.IdleTimeout, limits.ReadTimeout)
	case readingHead:
		c.limit(seen, took, limits.ReadHeaderTimeout, limits.ReadTimeout)
	case readingBody:
		c.limit(seen, took, limits.ReadTimeout, 0)
	case serving:
		// The clock may have advanced by an interval right after the request began.
		if took > checkInterval*3/2 && c.state.CompareAndSwap(seen, state(servingWatched, since)) {
			go c.watch()
		}
	case servingWatched:
		c.limit(seen, took, limits.WriteTimeout, 0)
	case closed:
	}
}

// limit closes the connection if took exceeds timeout, or exceeds fallback if timeout is 0. It does nothing if the
// state is not seen any more.
func (c *conn) limit(seen uint64, took, timeout, fallback time.Duration) {
	if timeout <= 0 {
		timeout = fallback
	}
	if timeout > 0 && took > timeout && c.state.CompareAndSwap(seen, state(closed, 0)) {
		_ = c.net.Close()
	}
}
