package lean

import (
	"net"
	"sync"

	"strata/internal/progress"
)

// handOver passes the connection to net/http, with the bytes that were read but not served.
func (c *conn) handOver() {
	if c.enter(closed) == closed {
		return
	}
	patient := progress.New(c.net, c.server.Stall)
	c.handed = c.server.handoff.pass(&replayConn{Conn: patient, left: c.buffer[c.begin:c.end]})
}

// replayConn is a connection that first returns bytes which were already read from it.
type replayConn struct {
	net.Conn

	left []byte
}

func (b *replayConn) Read(p []byte) (int, error) {
	if len(b.left) == 0 {
		return b.Conn.Read(p)
	}
	n := copy(p, b.left)
	if b.left = b.left[n:]; len(b.left) == 0 {
		b.left = nil
	}
	return n, nil
}

// NetConn returns the underlying connection. Reads from it do not return the bytes in left.
func (b *replayConn) NetConn() net.Conn { return b.Conn }

// CloseWrite closes the sending side. net/http calls it before it closes a connection on which bytes may still arrive.
func (b *replayConn) CloseWrite() error {
	if c, ok := b.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// handoffListener is the net.Listener of net/http's server. Its connections are those that handOver passes to it.
type handoffListener struct {
	address net.Addr
	conns   chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func newHandoffListener(address net.Addr) *handoffListener {
	return &handoffListener{address: address, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// pass passes a connection to net/http. It returns false if the listener is closed.
func (l *handoffListener) pass(c net.Conn) bool {
	select {
	case l.conns <- c:
		return true
	case <-l.closed:
		return false
	}
}

// Accept implements net.Listener.
func (l *handoffListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *handoffListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *handoffListener) Addr() net.Addr { return l.address }
