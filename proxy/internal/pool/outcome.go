package pool

import (
	"context"
	"errors"
	"io"
	"net"

	"strata/proxy/internal/client"
)

// Outcome says how an exchange with a node ended.
type Outcome uint8

// Outcomes of an exchange.
const (
	OK          Outcome = iota // status below 400
	ClientError                // status 4xx or 501: the node works
	ServerError                // status 5xx other than 501
	Unconnected                // no connection could be opened, so the node has seen nothing
	Timeout
	Broken    // the connection ended before the answer did
	Malformed // the answer isn't HTTP, or its end is uncertain
	Cancelled // nobody wanted the answer any more
	Outrun    // a hedged request to another node was faster
	Outcomes  // number of outcomes
)

func (o Outcome) String() string {
	return [...]string{
		OK: "ok", ClientError: "client_error", ServerError: "server_error", Unconnected: "unconnected", Timeout: "timeout",
		Broken: "broken", Malformed: "malformed", Cancelled: "cancelled", Outrun: "outrun",
	}[o]
}

// Failed reports whether the node is to blame.
func (o Outcome) Failed() bool {
	return o != OK && o != ClientError && o != Cancelled && o != Outrun
}

// OfStatus returns the outcome of an exchange with a complete answer.
func OfStatus(status int) Outcome {
	switch {
	case status >= 500 && status != 501:
		return ServerError
	case status >= 400:
		return ClientError
	}
	return OK
}

// ErrOutrun is the cause with which a hedged exchange is cancelled because the other one was faster.
var ErrOutrun = errors.New("another node was faster")

// OfError returns the outcome of an exchange that failed. If ctx ended, the cause of that decides whose fault it was.
func OfError(ctx context.Context, err error) Outcome {
	var exchange *client.Error
	var network net.Error
	switch {
	case errors.Is(context.Cause(ctx), ErrOutrun):
		return Outrun
	case errors.Is(ctx.Err(), context.Canceled):
		return Cancelled
	case errors.Is(err, client.ErrHeadTooLarge):
		return ClientError
	case errors.As(err, &exchange) && !exchange.Sent:
		return Unconnected
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return Timeout
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Broken
	}
	return Malformed
}
