package lean

// phase is what a connection waits for.
type phase uint64

const (
	idle    phase = iota // the first byte of a request
	reading              // the rest of a head; the whole of the first one
	filling              // the rest of a body
	serving              // the handler
	watched              // the handler, and meanwhile for the client to leave
	closed               // nothing: it is closed, or handed over
)

// A connection's state is its phase and since when it is in it, in milliseconds of its server's clock.
const phaseBits = 3

func state(p phase, since int64) uint64 { return uint64(since)<<phaseBits | uint64(p) }

func phaseOf(state uint64) (p phase, since int64) {
	return phase(state & (1<<phaseBits - 1)), int64(state >> phaseBits)
}

// enter puts the connection in a phase, and says what it was in. After closed comes nothing.
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
