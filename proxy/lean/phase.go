package lean

// phase says what a connection waits for.
type phase uint64

const (
	idle           phase = iota // for the first byte of a request, except the first request
	readingHead                 // for the rest of a head, or the first byte of the first request
	readingBody                 // for the rest of a body
	serving                     // for the handler
	servingWatched              // for the handler, while watch waits for the client to leave
	closed                      // for nothing: it is closed or handed over
)

// A connection's state combines its phase, in the lowest phaseBits bits, with the time at which the phase began, in
// milliseconds of its server's clock.
const phaseBits = 3

func state(p phase, since int64) uint64 { return uint64(since)<<phaseBits | uint64(p) }

func phaseOf(state uint64) (p phase, since int64) {
	return phase(state & (1<<phaseBits - 1)), int64(state >> phaseBits)
}

// enter puts the connection in a phase, and returns the phase before. A closed connection stays closed.
func (c *conn) enter(p phase) (before phase) {
	now := c.server.clock.Load()
	for {
		old := c.state.Load()
		before, _ = phaseOf(old)
		if before == closed || c.state.CompareAndSwap(old, state(p, now)) {
			return before
		}
	}
}
