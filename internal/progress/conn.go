// Package progress ends connections whose other side does not take what is sent to it.
//
// A deadline for a whole answer either cuts off slow clients or lets those hold on that never read. Here each piece of an
// answer has a deadline of its own: whoever takes a piece in time may go on, however long the whole takes, and whoever
// does not is gone after Stall.
package progress

import (
	"net"
	"sync/atomic"
	"time"
)

const (
	// Stall is how long the other side may take for a piece.
	Stall = 30 * time.Second
	// pieceMax is the size of the largest piece, in bytes. A client of 20 kbit/s still takes it in time.
	pieceMax = 64 << 10
	// unsentMax is how much the system holds that it has not sent yet, in bytes. Without it, the system takes megabytes
	// for a client that reads nothing, and reports room only when much of that is gone, which a slow client may not
	// manage in time.
	unsentMax = 128 << 10
)

// Listener wraps the connections of l.
func Listener(l net.Listener, stall time.Duration) net.Listener { return &listener{l, stall} }

type listener struct {
	net.Listener
	stall time.Duration
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return New(accepted, l.stall), nil
}

// New wraps a connection: a write fails when the other side takes longer than stall for a piece.
func New(inner net.Conn, stall time.Duration) *Conn {
	limitUnsent(inner)
	return &Conn{Conn: inner, stall: stall}
}

// Conn is a connection with a deadline for each piece that is written. A deadline that its user sets holds as well.
type Conn struct {
	net.Conn
	stall time.Duration
	own   atomic.Pointer[time.Time] // the user's deadline for writes; nil for none
}

// NetConn returns the underlying connection.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Write implements net.Conn.
func (c *Conn) Write(b []byte) (written int, err error) {
	for {
		n, err := c.writePiece(b[:min(len(b), pieceMax)])
		written += n
		b = b[n:]
		if err != nil || len(b) == 0 {
			return written, err
		}
	}
}

func (c *Conn) writePiece(piece []byte) (int, error) {
	deadline := time.Now().Add(c.stall)
	if own := c.own.Load(); own != nil && own.Before(deadline) {
		deadline = *own
	}
	if err := c.Conn.SetWriteDeadline(deadline); err != nil {
		return 0, err
	}
	return c.Conn.Write(piece)
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetWriteDeadline implements net.Conn. It also ends a write that is under way.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		c.own.Store(nil)
		return nil // the deadline of a piece that is being written stays
	}
	c.own.Store(&t)
	return c.Conn.SetWriteDeadline(t)
}

// CloseWrite closes the sending side. net/http calls it before it closes a connection on which bytes may still arrive.
func (c *Conn) CloseWrite() error {
	if inner, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return inner.CloseWrite()
	}
	return nil
}
