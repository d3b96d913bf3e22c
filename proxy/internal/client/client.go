// Package client sends requests to one node over net/http's Transport. It tells whether a failed request may have reached the
// node, and reads an answer up to a limit within one time limit.
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"time"

	"strata/internal/edge"
)

// HeadMax is the longest request head (request line and header) that a node accepts, in bytes.
const HeadMax = 4096

// answerHeadMax is the longest head of an answer, in bytes.
const answerHeadMax = 1 << 20

// Config configures a Client.
type Config struct {
	// URL is the node's scheme (http or https), host and port.
	URL *url.URL
	// ConnectTimeout bounds the time to open a connection, and that for TLS after it.
	ConnectTimeout time.Duration
	// IdleTimeout is how long the client keeps an unused connection. It must be less than the node's own 15 s.
	IdleTimeout time.Duration
	// IdleMax is the maximum number of idle connections.
	IdleMax int
}

// Client sends requests to one node. It is safe for concurrent use.
type Client struct {
	url string
	// transport keeps connections. once opens one for each request: on a connection that the node may have closed
	// meanwhile, a request fails that must not be sent again.
	transport, once *http.Transport
}

// New returns a client. It does not connect.
func New(config Config) *Client {
	dial := edge.Dial(&net.Dialer{Timeout: config.ConnectTimeout})
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return acknowledgeAtOnce(conn), nil
		},
		TLSHandshakeTimeout: config.ConnectTimeout, DisableCompression: true, MaxResponseHeaderBytes: answerHeadMax,
		MaxIdleConnsPerHost: config.IdleMax, IdleConnTimeout: config.IdleTimeout,
	}
	once := transport.Clone()
	once.DisableKeepAlives = true
	return &Client{url: config.URL.String(), transport: transport, once: once}
}

// Close closes the idle connections now, and every other connection at the end of its exchange.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Request is a request to a node. Its strings must not contain control characters; strings that came through net/http's
// server have none.
type Request struct {
	Method string
	// Target is the escaped path and the query.
	Target string
	// ContentType, Accept and Authorization are the header fields that a node reads. Empty ones are not sent.
	ContentType, Accept, Authorization string
	// ID is sent as X-Request-Id. A node accepts only an unsigned 32-bit number there.
	ID   uint32
	Body []byte
	// Once means that the node must not see this request twice, whatever happens.
	Once bool
}

// Error tells why an exchange with a node failed.
type Error struct {
	// Sent means that the node may have seen the request or a part of it.
	Sent bool
	Node string // its URL
	Err  error
}

func (e *Error) Error() string {
	if e.Sent {
		return fmt.Sprintf("wait for the answer of %s: %v", e.Node, e.Err)
	}
	return fmt.Sprintf("connect to %s: %v", e.Node, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// ErrHeadTooLarge is returned for a request whose head is longer than HeadMax. Nothing was sent.
var ErrHeadTooLarge = errors.New("request line and header are longer than a node reads")

// Answer is a node's answer.
type Answer struct {
	Status int
	// Header has the fields that a client of the proxy may see.
	Header http.Header
	// Length is that of the body in bytes; -1 if the node didn't state it.
	Length int64
	// Body is the first part of the body, and all of it if Rest is nil.
	Body []byte
	Rest *Rest
}

// Rest is the part of a body that has not been read yet. Its owner must close it.
type Rest struct {
	body  io.Reader
	timer *time.Timer
	end   context.CancelCauseFunc
}

// Read reads from the rest, within a time. It returns io.EOF only at the end of a complete body.
func (r *Rest) Read(p []byte, within time.Duration) (int, error) {
	r.timer.Reset(within)
	defer r.timer.Stop()
	return r.body.Read(p)
}

// Close ends the exchange, and a Read that is under way. It may be called more than once, by any goroutine. The connection is
// kept if the body was read to its end.
func (r *Rest) Close() { r.end(nil) }

// Do sends a request and reads its answer, up to about most bytes of the body. All of that ends with ctx and after timeout; the rest
// of the body ends only when it is closed. Errors are *Error or ErrHeadTooLarge; if ctx ended first, they wrap its error.
func (c *Client) Do(ctx context.Context, r *Request, timeout time.Duration, most int64) (*Answer, error) {
	connected := false
	own, end := context.WithCancelCause(httptrace.WithClientTrace(context.WithoutCancel(ctx), &httptrace.ClientTrace{
		GetConn: func(string) { connected = false }, // again, if an idle connection turned out to be closed
		GotConn: func(httptrace.GotConnInfo) { connected = true },
	}))
	request, err := c.request(own, r)
	if err != nil {
		end(nil)
		return nil, err
	}
	timer := time.AfterFunc(timeout, func() { end(context.DeadlineExceeded) })
	defer timer.Stop()
	defer context.AfterFunc(ctx, func() { end(ctx.Err()) })()
	answer, body, err := c.roundTrip(request, r.Once, most)
	if err != nil {
		if ended := context.Cause(own); ended != nil {
			err = ended
		}
		end(nil)
		return nil, &Error{Sent: connected, Node: c.url, Err: err}
	}
	if body != nil {
		answer.Rest = &Rest{body: body, timer: timer, end: end}
	} else {
		end(nil)
	}
	return answer, nil
}

// request returns the request in the form of net/http.
func (c *Client) request(ctx context.Context, r *Request) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, c.url, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	request.URL.Opaque = r.Target // is sent as it is
	request.Header = http.Header{"X-Request-Id": {strconv.FormatUint(uint64(r.ID), 10)}, "User-Agent": nil}
	if !r.Once {
		request.Header["Idempotency-Key"] = nil // is not sent, and lets the transport send the request again if a kept connection broke
	}
	for name, value := range map[string]string{"Accept": r.Accept, "Authorization": r.Authorization, "Content-Type": r.ContentType} {
		if value != "" {
			request.Header[name] = []string{value}
		}
	}
	if headSize(request) > HeadMax {
		return nil, ErrHeadTooLarge
	}
	return request, nil
}

// headSize returns the length of a request's head in bytes.
func headSize(r *http.Request) int {
	size := len(r.Method) + len(" ") + len(r.URL.Opaque) + len(" HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n") + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(": \r\n") + len(value)
		}
	}
	if r.ContentLength > 0 {
		size += len("Content-Length: \r\n") + len(strconv.FormatInt(r.ContentLength, 10))
	}
	return size
}

// roundTrip sends a request and reads its answer. It returns what is left of the body, and nil if that was read to its end.
func (c *Client) roundTrip(request *http.Request, once bool, most int64) (*Answer, io.Reader, error) {
	transport := c.transport
	if once {
		transport = c.once
	}
	response, err := transport.RoundTrip(request) //nolint:bodyclose // the end of the request's context closes the body
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode < 200 || response.StatusCode > 599 {
		return nil, nil, fmt.Errorf("answer of status %d", response.StatusCode)
	}
	var body bytes.Buffer
	body.Grow(int(min(max(response.ContentLength, 0), most)) + bytes.MinRead)
	n, err := body.ReadFrom(io.LimitReader(response.Body, most+1)) // one more tells whether that is all
	if err != nil {
		return nil, nil, err
	}
	answer := &Answer{Status: response.StatusCode, Header: shown(response.Header), Length: response.ContentLength, Body: body.Bytes()}
	if n > most {
		return answer, response.Body, nil
	}
	return answer, nil, nil
}
