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

// joinMax is the largest body that is copied behind the head, so that both leave in one piece.
const joinMax = 16 << 10

// conn is a connection to a node. It serves one exchange at a time.
type conn struct {
	net.Conn
	reader *bufio.Reader
	// out and fields are memory that exchanges use one after the other.
	out      []byte
	fields   []Field
	response Response
	// ending waits for the end of the exchange's context.
	ending cancel.Hook
	// used says that an exchange was completed on it, since when it may have been closed by the node.
	used bool
	idle time.Time // since when

	mu        sync.Mutex
	abandoned bool
	// abandon is method giveUp, bound once.
	abandon func()
}

func newConn(c net.Conn) *conn {
	made := &conn{Conn: c, reader: bufio.NewReaderSize(c, readBuffer)}
	made.abandon = made.giveUp
	return made
}

// giveUp ends whatever waits for the connection, now and later.
func (c *conn) giveUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandoned = true
	_ = c.SetDeadline(time.Unix(1, 0))
}

// until lets reads and writes wait until t, unless nobody wants them any more.
func (c *conn) until(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.abandoned {
		_ = c.SetDeadline(t)
	}
}

// send writes a request, whose head is in c.out.
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
