package proxy

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"strata/proxy/internal/client"
	"strata/proxy/internal/pool"
)

// failure is an error answer of the proxy itself: it says why the request was not forwarded or got no answer.
type failure struct {
	status  int
	message string
	// retryAfter is the value of Retry-After; 0 for none.
	retryAfter time.Duration
	// nodes adds the list of nodes and their states to the answer.
	nodes bool
}

func (f *failure) Error() string { return f.message }

// statusClientClosed is the status in the log for a request whose client left before the answer. No client sees it.
const statusClientClosed = 499

// noAnswerError is the error of a request that no node answered. last is the error of the last attempt.
type noAnswerError struct{ last error }

func (u *noAnswerError) Error() string { return "no node has answered: " + u.last.Error() }

func (u *noAnswerError) Unwrap() error { return u.last }

// failureOf returns the answer that tells the client about an error.
func (p *Proxy) failureOf(err error) *failure {
	var f *failure
	var exchange *client.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.Canceled):
		return &failure{status: statusClientClosed, message: "the client has left"}
	case errors.Is(err, pool.ErrBusy):
		return &failure{status: http.StatusServiceUnavailable, message: "all nodes are busy", retryAfter: time.Second}
	case errors.Is(err, client.ErrHeadTooLarge):
		return &failure{status: http.StatusRequestURITooLong, message: client.ErrHeadTooLarge.Error()}
	case errors.As(err, &exchange) && exchange.Sent:
		if pool.OfError(context.Background(), err) == pool.Timeout {
			return &failure{status: http.StatusGatewayTimeout, message: "the node didn't answer in time"}
		}
		return &failure{status: http.StatusBadGateway, message: "the node's answer ended early or was no HTTP"}
	}
	return &failure{
		status: http.StatusServiceUnavailable, message: "no node can be reached", retryAfter: time.Second, nodes: true,
	}
}

// refuse writes a failure to the client.
func (p *Proxy) refuse(w http.ResponseWriter, x *exchange, f *failure) {
	x.status, x.source = f.status, fromProxy
	if f.retryAfter > 0 {
		seconds := int64((f.retryAfter + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	body := struct {
		Error string       `json:"error"`
		Nodes []nodeReport `json:"nodes,omitempty"`
	}{Error: f.message}
	if f.nodes {
		body.Nodes = p.nodeReports()
	}
	if f.status == statusClientClosed {
		panic(http.ErrAbortHandler) // the client is gone, so there is nothing to write
	}
	x.bytes, _ = writeJSON(w, f.status, body)
}

// nodeReport describes a node to a client when no node answers.
type nodeReport struct {
	Name  string    `json:"name"`
	State string    `json:"state"`
	Since time.Time `json:"since"`
}

func (p *Proxy) nodeReports() []nodeReport {
	var list []nodeReport
	for _, n := range p.pool.Status() {
		list = append(list, nodeReport{p.shownName(n.Name), n.State, n.Since})
	}
	return list
}
