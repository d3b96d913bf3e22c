package lean

import (
	"io"
	"net"
	"sync"
)

// handOver gives the connection to net/http, with what was read of it and not served.
func (c *conn) handOver() {
	if c.enter(closed) == closed {
		return
	}
	c.handed = c.server.others.give(&begun{Conn: c.net, left: c.buffer[c.begin:c.end]})
}

// begun is a connection of which something was read already.
type begun struct {
	net.Conn

	left []byte
}

func (b *begun) Read(p []byte) (int, error) {
	if len(b.left) == 0 {
		return b.Conn.Read(p)
	}
	n := copy(p, b.left)
	if b.left = b.left[n:]; len(b.left) == 0 {
		b.left = nil
	}
	return n, nil
}

// NetConn is the connection beneath, on which what was read already is not read again.
func (b *begun) NetConn() net.Conn { return b.Conn }

// ReadFrom implements io.ReaderFrom, as the system may send a file without anybody reading it.
func (b *begun) ReadFrom(r io.Reader) (int64, error) { return io.Copy(b.Conn, r) }

// CloseWrite ends what is sent, which net/http does before it closes a connection on which something may still come.
func (b *begun) CloseWrite() error {
	if c, ok := b.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// others is the listener that net/http has.
type others struct {
	address net.Addr
	given   chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func newOthers(address net.Addr) *others {
	return &others{address: address, given: make(chan net.Conn), closed: make(chan struct{})}
}

// give has net/http serve a connection. It reports false if the listener is closed.
func (o *others) give(c net.Conn) bool {
	select {
	case o.given <- c:
		return true
	case <-o.closed:
		return false
	}
}

// Accept implements net.Listener.
func (o *others) Accept() (net.Conn, error) {
	select {
	case c := <-o.given:
		return c, nil
	case <-o.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (o *others) Close() error {
	o.once.Do(func() { close(o.closed) })
	return nil
}

// Addr implements net.Listener.
func (o *others) Addr() net.Addr { return o.address }
