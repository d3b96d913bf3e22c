package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"time"
)

// Config configures a Client. URL is required.
type Config struct {
	// URL is the node's scheme (http or https), host and port.
	URL *url.URL
	// ConnectTimeout bounds the time to open a connection, including TLS.
	ConnectTimeout time.Duration
	// IdleTimeout is how long the client keeps an unused connection. It must be less than the node's own 15 s.
	IdleTimeout time.Duration
	// IdleMax is the maximum number of idle connections.
	IdleMax int
}

// Client sends requests to one node. It is safe for concurrent use.
type Client struct {
	config  Config
	address string
	dialer  interface {
		DialContext(ctx context.Context, network, address string) (net.Conn, error)
	}

	mu     sync.Mutex
	idle   []*conn // the most recently used is the last
	closed bool
}

// New returns a client. It does not connect.
func New(config Config) *Client {
	c := &Client{config: config, address: Address(config.URL)}
	dialer := &net.Dialer{Timeout: config.ConnectTimeout}
	c.dialer = dialer
	if config.URL.Scheme == "https" {
		c.dialer = &tls.Dialer{NetDialer: dialer, Config: &tls.Config{
			ServerName: config.URL.Hostname(), NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
		}}
	}
	return c
}

// Address returns the host and port of a URL of scheme http or https.
func Address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// Do sends a request and reads the head of the answer, which the caller must close. timeout bounds the time until the
// end of the head. Errors are *Error or ErrHeadTooLarge; if ctx ended first, they wrap its error.
func (c *Client) Do(ctx context.Context, r *Request, timeout time.Duration) (*Response, error) {
	deadline := time.Now().Add(timeout)
	for {
		conn, err := c.connection(ctx, r)
		if err != nil {
			return nil, c.failure(ctx, StageConnect, err)
		}
		response, stage, err := c.exchange(ctx, conn, r, deadline)
		switch {
		case err == nil:
			return response, nil
		case errors.Is(err, ErrHeadTooLarge):
			return nil, err
		case conn.used && !r.Once && (stage == StageSend || broken(conn, err)) && ctx.Err() == nil && time.Now().Before(deadline):
			continue // the node closed the idle connection, and maybe others; the next one is newer or new
		}
		return nil, c.failure(ctx, stage, err)
	}
}

// broken reports whether a connection ended before the first byte of an answer.
func broken(c *conn, err error) bool {
	var network net.Error
	return c.response.first && (!errors.As(err, &network) || !network.Timeout())
}

func (c *Client) failure(ctx context.Context, stage Stage, err error) error {
	if ended := ctx.Err(); ended != nil {
		err = ended
	}
	return &Error{Stage: stage, Node: c.address, Err: err}
}

// connection returns an idle connection or a new one.
func (c *Client) connection(ctx context.Context, r *Request) (*conn, error) {
	if !r.Once {
		if idle := c.takeIdle(); idle != nil {
			return idle, nil
		}
	}
	dialed, err := c.dialer.DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, err
	}
	return newConn(dialed), nil
}

func (c *Client) takeIdle() *conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.idle)
	if n == 0 {
		return nil
	}
	newest := c.idle[n-1]
	if time.Since(newest.idleSince) > c.config.IdleTimeout {
		c.closeIdle(n) // the others have been idle for longer
		return nil
	}
	c.idle[n-1] = nil
	c.idle = c.idle[:n-1]
	return newest
}

// closeIdle closes the n connections that have been idle for the longest time.
func (c *Client) closeIdle(n int) {
	for _, unused := range c.idle[:n] {
		_ = unused.Close()
	}
	left := copy(c.idle, c.idle[n:])
	clear(c.idle[left:])
	c.idle = c.idle[:left]
}

// Sweep closes the connections that have been idle for longer than IdleTimeout.
func (c *Client) Sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for n < len(c.idle) && time.Since(c.idle[n].idleSince) > c.config.IdleTimeout {
		n++
	}
	c.closeIdle(n)
}

// Close closes the idle connections now, and every other connection at the end of its exchange.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.closeIdle(len(c.idle))
}

// putBack keeps a connection for the next exchange.
func (c *Client) putBack(conn *conn) {
	conn.used, conn.idleSince = true, time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.idle) >= c.config.IdleMax {
		_ = conn.Close()
		return
	}
	c.idle = append(c.idle, conn)
}

// exchange sends r and reads the head of the answer. If that fails, it closes the connection.
func (c *Client) exchange(ctx context.Context, conn *conn, r *Request, deadline time.Time) (*Response, Stage, error) {
	conn.out = r.appendHead(conn.out[:0], c.config.URL.Host)
	if len(conn.out) > HeadMax {
		c.putBack(conn)
		return nil, StageConnect, ErrHeadTooLarge
	}
	conn.setDeadline(deadline)
	conn.cancelled.Watch(ctx, conn.abandon)
	conn.response = Response{client: c, conn: conn, first: true}
	if err := conn.send(r.Body); err != nil {
		conn.response.Close()
		return nil, StageSend, err
	}
	if _, err := conn.reader.Peek(1); err != nil {
		conn.response.Close()
		return nil, StageHead, err
	}
	conn.response.first = false
	h, err := readHead(conn.reader, conn.fields)
	if err != nil {
		conn.response.Close()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, StageHead, err
	}
	conn.fields = h.fields
	conn.response.begin(h)
	return &conn.response, StageBody, nil
}
