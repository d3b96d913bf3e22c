package lean

import "time"

// stall measures how long a client has not taken a piece, in the time between checks: a check that comes late counts as one
// that is in time. So a machine that stood still, and let neither the client read nor the server write, does not cost clients
// their connections, and no piece is charged for the time before it.
type stall struct {
	piece uint64 // conn.pieces at the last check
	time  time.Duration
}

// stepMax is the most that the time between two checks counts.
const stepMax = 2 * checkInterval

// observe returns how long the piece has been seen, a step after the last check.
func (s *stall) observe(piece uint64, step time.Duration) time.Duration {
	switch {
	case piece%2 == 0, piece != s.piece:
		s.time = 0
	default:
		s.time += min(step, stepMax)
	}
	s.piece = piece
	return s.time
}
