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

// Config of a Client. URL is required.
type Config struct {
	// URL of the node: scheme http or https, host and port.
	URL *url.URL
	// ConnectTimeout bounds making a connection, with TLS.
	ConnectTimeout time.Duration
	// IdleTimeout is how long a connection is kept unused. It has to be below the node's own, 15 s.
	IdleTimeout time.Duration
	// IdleMax is how many are kept.
	IdleMax int
}

// Client has the connections to one node. It is safe for concurrent use.
type Client struct {
	config  Config
	address string
	dialer  interface {
		DialContext(ctx context.Context, network, address string) (net.Conn, error)
	}

	mu     sync.Mutex
	idle   []*conn // the last used is the last
	closed bool
}

// New makes a client. It does not connect.
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

// Address is the host and port that a URL of scheme http or https means.
func Address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// Do sends a request and reads the head of the answer, which must be closed. From start to the end of the head it may
// take as long as timeout. Errors are *Error or ErrHeadTooLarge; when ctx ended first, they wrap its error.
func (c *Client) Do(ctx context.Context, r *Request, timeout time.Duration) (*Response, error) {
	deadline := time.Now().Add(timeout)
	for {
		used, err := c.connection(ctx, r)
		if err != nil {
			return nil, c.failure(ctx, StageConnect, err)
		}
		response, stage, err := c.exchange(ctx, used, r, deadline)
		switch {
		case err == nil:
			return response, nil
		case errors.Is(err, ErrHeadTooLarge):
			return nil, err
		case used.used && !r.Once && (stage == StageSend || broken(used, err)) && ctx.Err() == nil && time.Now().Before(deadline):
			continue // it was closed while it was idle, and others may have been: the next is newer or new
		}
		return nil, c.failure(ctx, stage, err)
	}
}

// broken says whether a connection ended before the first byte of an answer.
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

// connection gives an idle connection, or a new one.
func (c *Client) connection(ctx context.Context, r *Request) (*conn, error) {
	if !r.Once {
		if found := c.takeIdle(); found != nil {
			return found, nil
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
	found := c.idle[n-1]
	if time.Since(found.idle) > c.config.IdleTimeout {
		c.closeIdle(n) // the others were unused for longer
		return nil
	}
	c.idle[n-1] = nil
	c.idle = c.idle[:n-1]
	return found
}

// closeIdle closes the n connections that were unused for the longest.
func (c *Client) closeIdle(n int) {
	for _, unused := range c.idle[:n] {
		_ = unused.Close()
	}
	left := copy(c.idle, c.idle[n:])
	clear(c.idle[left:])
	c.idle = c.idle[:left]
}

// Sweep closes connections that were unused for too long.
func (c *Client) Sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for n < len(c.idle) && time.Since(c.idle[n].idle) > c.config.IdleTimeout {
		n++
	}
	c.closeIdle(n)
}

// Close closes idle connections, and from now on each after its exchange.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.closeIdle(len(c.idle))
}

// putBack keeps a connection for the next exchange.
func (c *Client) putBack(used *conn) {
	used.used, used.idle = true, time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.idle) >= c.config.IdleMax {
		_ = used.Close()
		return
	}
	c.idle = append(c.idle, used)
}

// exchange sends r and reads the head of the answer. When it fails, the connection is closed.
func (c *Client) exchange(ctx context.Context, on *conn, r *Request, deadline time.Time) (*Response, Stage, error) {
	on.out = r.appendHead(on.out[:0], c.config.URL.Host)
	if len(on.out) > HeadMax {
		c.putBack(on)
		return nil, StageConnect, ErrHeadTooLarge
	}
	on.until(deadline)
	on.ending.Watch(ctx, on.abandon)
	on.response = Response{client: c, conn: on, first: true}
	if err := on.send(r.Body); err != nil {
		on.response.Close()
		return nil, StageSend, err
	}
	if _, err := on.reader.Peek(1); err != nil {
		on.response.Close()
		return nil, StageHead, err
	}
	on.response.first = false
	h, err := readHead(on.reader, on.fields)
	if err != nil {
		on.response.Close()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, StageHead, err
	}
	on.fields = h.fields
	on.response.begin(h)
	return &on.response, StageBody, nil
}
