// Package noderequest has the requests to a Stacks node that wants need, and sends them.
package noderequest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"strata/domain/fetch"
	"strata/metadata/internal/rotation"
)

// bodyMax bounds the answer of a node, in bytes. A Clarity value may have 1 MB, which is twice as much in hex, but
// no value that is read from a token's contract comes near that.
const bodyMax = 1 << 20

// Client sends requests to nodes.
type Client struct {
	http    *http.Client
	timeout time.Duration
}

// NewClient returns a client that waits so long for an answer, and keeps so many connections to a node open.
func NewClient(timeout time.Duration, connections int) *Client {
	return &Client{
		timeout: timeout,
		http: &http.Client{
			Transport: &http.Transport{
				MaxIdleConnsPerHost:    connections,
				MaxResponseHeaderBytes: 64 << 10,
				IdleConnTimeout:        time.Minute,
				DisableCompression:     true, // the log stores bodies exactly as they were sent
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Request is a request to a node.
type Request struct {
	call   int // index in the want's calls
	method string
	path   string // escaped, with the query
	body   []byte
}

// Do sends a request to a node. The exchange that it returns describes the answer or the failure.
func (c *Client) Do(ctx context.Context, n *rotation.Node, r Request) fetch.Exchange {
	e := fetch.Exchange{
		Call: r.call, Method: r.method, URL: n.Base + r.path, Gateway: n.Base, Request: string(r.body),
		StartedAt: time.Now().UTC(),
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if err := c.exchange(ctx, n, r, &e); err != nil {
		e.Body = nil
		e.Failure, e.Error = failureOf(err), withoutURL(err).Error()
	}
	e.TookMicros = time.Since(e.StartedAt).Microseconds()
	return e
}

var errTooLarge = errors.New("the body is too large")

func (c *Client) exchange(ctx context.Context, n *rotation.Node, r Request, e *fetch.Exchange) error {
	req, err := http.NewRequestWithContext(ctx, r.method, n.URL.String()+r.path, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	if len(r.body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	e.Status = response.StatusCode
	e.Header = reportedHeader(response.Header)
	e.Body, err = io.ReadAll(io.LimitReader(response.Body, bodyMax+1))
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	if len(e.Body) > bodyMax {
		return fmt.Errorf("%w: more than %d bytes", errTooLarge, bodyMax)
	}
	return nil
}

// reportedHeader returns the header fields that go into the report: those about the body, and the time to try again.
func reportedHeader(h http.Header) map[string]string {
	reported := map[string]string{}
	for name, key := range map[string]string{"Content-Type": "content-type", "Retry-After": "retry-after"} {
		if value := h.Get(name); value != "" {
			reported[key] = value
		}
	}
	return reported
}

func failureOf(err error) fetch.Failure {
	var network net.Error
	switch {
	case errors.Is(err, errTooLarge):
		return fetch.FailureTooLarge
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return fetch.FailureTimeout
	}
	return fetch.FailureConnection
}

// withoutURL removes the URL that net/http adds to an error. The exchange has the URL already, without credentials.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
