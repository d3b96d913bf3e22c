package wire

import (
	"bufio"
	"net"
	"sync"
	"time"

	"strata/proxy/internal/cancel"
)

// readBuffer is the size of a connection's read buffer; no line of an answer's head may be longer.
const readBuffer = 8 << 10

// joinMax is the largest body that is copied behind the head, so that both are sent with one write.
const joinMax = 16 << 10

// conn is a connection to a node. It serves one exchange at a time.
type conn struct {
	net.Conn
	reader *bufio.Reader
	// Each exchange reuses the memory of out, fields and response.
	out      []byte
	fields   []Field
	response Response
	// cancelled waits for the end of the exchange's context.
	cancelled cancel.Hook
	// used means that the connection has completed an exchange, so the node may have closed it since.
	used      bool
	idleSince time.Time

	mu        sync.Mutex
	abandoned bool
	// abandon is the method giveUp, bound once to save allocations.
	abandon func()
}

func newConn(network net.Conn) *conn {
	c := &conn{Conn: network, reader: bufio.NewReaderSize(network, readBuffer)}
	c.abandon = c.giveUp
	return c
}

// giveUp makes all present and future reads and writes fail.
func (c *conn) giveUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandoned = true
	_ = c.SetDeadline(time.Unix(1, 0))
}

// setDeadline lets reads and writes wait until t, unless the exchange was abandoned.
func (c *conn) setDeadline(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.abandoned {
		_ = c.SetDeadline(t)
	}
}

// send writes a request whose head is in c.out.
func (c *conn) send(body []byte) error {
	if len(body) <= joinMax {
		c.out = append(c.out, body...)
		_, err := c.Write(c.out)
		return err
	}
	pieces := net.Buffers{c.out, body}
	_, err := pieces.WriteTo(c.Conn)
	return err
}
