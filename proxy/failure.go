package proxy

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"strata/proxy/internal/pool"
	"strata/proxy/internal/wire"
)

// failure is an answer of the proxy's own: why a request was not forwarded, or that no node has answered it.
type failure struct {
	status  int
	message string
	// retryAfter is when it may be worth another try; 0: who knows.
	retryAfter time.Duration
	// nodes says that the answer names the nodes and how they are.
	nodes bool
}

func (f *failure) Error() string { return f.message }

// statusClientClosed is what records say about a request whose client didn't wait. Nobody sees it.
const statusClientClosed = 499

// unanswered is the error of a request that no node has answered, with the error of the last that was tried.
type unanswered struct{ last error }

func (u *unanswered) Error() string { return "no node has answered: " + u.last.Error() }

func (u *unanswered) Unwrap() error { return u.last }

// failureOf decides what the client is told about an error.
func (p *Proxy) failureOf(err error) *failure {
	var f *failure
	var exchange *wire.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.Canceled):
		return &failure{status: statusClientClosed, message: "the client has left"}
	case errors.Is(err, pool.ErrBusy):
		return &failure{status: http.StatusServiceUnavailable, message: "all nodes are busy", retryAfter: time.Second}
	case errors.Is(err, wire.ErrHeadTooLarge):
		return &failure{status: http.StatusRequestURITooLong, message: wire.ErrHeadTooLarge.Error()}
	case errors.As(err, &exchange) && exchange.Stage != wire.StageConnect:
		if pool.OfError(context.Background(), err) == pool.Timeout {
			return &failure{status: http.StatusGatewayTimeout, message: "the node didn't answer in time"}
		}
		return &failure{status: http.StatusBadGateway, message: "the node's answer ended early or was no HTTP"}
	}
	return &failure{
		status: http.StatusServiceUnavailable, message: "no node can be reached", retryAfter: time.Second, nodes: true,
	}
}

// refuse answers with a failure.
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
		body.Nodes = p.report()
	}
	if f.status == statusClientClosed {
		panic(http.ErrAbortHandler) // nobody is there; whatever was written would go to waste
	}
	x.bytes, _ = writeJSON(w, f.status, body)
}

// nodeReport is what a client is told about a node when none answers.
type nodeReport struct {
	Name  string    `json:"name"`
	State string    `json:"state"`
	Since time.Time `json:"since"`
}

func (p *Proxy) report() []nodeReport {
	var list []nodeReport
	for _, n := range p.pool.Status() {
		list = append(list, nodeReport{n.Name, n.State, n.Since})
	}
	return list
}
