// Package noderead reads from nodes what wants name: results of contracts, their interfaces, and attachments.
package noderead

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

	"golang.org/x/time/rate"

	"strata/domain/fetch"
	"strata/internal/edge"
	"strata/metadata/internal/rotation"
)

// nodeBodyMax bounds the answer of a node, in bytes. A Clarity value may have 1 MB, which is twice as much in hex, but
// no value that is read from a token's contract comes near that.
const nodeBodyMax = 1 << 20

// Config configures a Reader.
type Config struct {
	Nodes *rotation.Nodes
	// Timeout bounds one request.
	Timeout time.Duration
	// Connections is how many connections to a node are kept for the next request.
	Connections int
	// Attachments is the most requests for attachments in a second.
	Attachments int
}

// Reader sends requests to nodes.
type Reader struct {
	nodes       *rotation.Nodes
	http        *http.Client
	timeout     time.Duration
	attachments *rate.Limiter
}

// New returns a reader.
func New(config Config) *Reader {
	return &Reader{
		nodes:       config.Nodes,
		timeout:     config.Timeout,
		attachments: rate.NewLimiter(rate.Limit(config.Attachments), config.Attachments),
		http: &http.Client{
			Transport: &http.Transport{
				DialContext:            edge.Dial(&net.Dialer{Timeout: config.Timeout}),
				ForceAttemptHTTP2:      true, // which a dialer of one's own switches off
				MaxIdleConnsPerHost:    config.Connections,
				MaxResponseHeaderBytes: 64 << 10,
				IdleConnTimeout:        time.Minute,
				DisableCompression:     true, // the log stores bodies exactly as they were sent
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// request is a request to a node.
type request struct {
	call   int // index in the want's calls
	method string
	path   string // escaped, with the query
	body   []byte
}

// do sends a request to a node. The exchange that it returns describes the answer or the failure.
func (r *Reader) do(ctx context.Context, n *rotation.Node, q request) fetch.Exchange {
	e := fetch.Exchange{
		Call: q.call, Method: q.method, URL: n.Base + q.path, Gateway: n.Base, Request: string(q.body),
		StartedAt: time.Now().UTC(),
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	if err := r.exchange(ctx, n, q, &e); err != nil {
		e.Body = nil
		e.Failure, e.Error = failureOf(err), withoutURL(err).Error()
	}
	e.TookMicros = time.Since(e.StartedAt).Microseconds()
	return e
}

var errTooLarge = errors.New("the body is too large")

func (r *Reader) exchange(ctx context.Context, n *rotation.Node, q request, e *fetch.Exchange) error {
	req, err := http.NewRequestWithContext(ctx, q.method, n.URL.String()+q.path, bytes.NewReader(q.body))
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	if len(q.body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	response, err := r.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	e.Status = response.StatusCode
	e.Header = reportedHeader(response.Header)
	e.Body, err = io.ReadAll(io.LimitReader(response.Body, nodeBodyMax+1))
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	if len(e.Body) > nodeBodyMax {
		return fmt.Errorf("%w: more than %d bytes", errTooLarge, nodeBodyMax)
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
