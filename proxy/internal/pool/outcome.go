package pool

import (
	"context"
	"errors"
	"net"

	"strata/proxy/internal/wire"
)

// Outcome is how an exchange with a node ended.
type Outcome uint8

// Outcomes.
const (
	OK          Outcome = iota // status below 400
	ClientError                // status 4xx, and 501: the node works
	ServerError                // status 5xx
	Unconnected                // no connection was made: the node has seen nothing
	Timeout
	Broken    // the connection ended before the answer did
	Malformed // the answer isn't HTTP, or its end is uncertain
	Cancelled // nobody wanted the answer any more
	Outrun    // another node was asked too, and was faster
	Outcomes  // how many there are
)

func (o Outcome) String() string {
	return [...]string{
		OK: "ok", ClientError: "client_error", ServerError: "server_error", Unconnected: "unconnected", Timeout: "timeout",
		Broken: "broken", Malformed: "malformed", Cancelled: "cancelled", Outrun: "outrun",
	}[o]
}

// Failed says whether the node is to blame.
func (o Outcome) Failed() bool {
	return o != OK && o != ClientError && o != Cancelled && o != Outrun
}

// OfStatus is the outcome of a whole answer.
func OfStatus(status int) Outcome {
	switch {
	case status >= 500 && status != 501:
		return ServerError
	case status >= 400:
		return ClientError
	}
	return OK
}

// ErrOutrun is the cause that ends an exchange because another one was faster.
var ErrOutrun = errors.New("another node was faster")

// OfError is the outcome of an exchange that failed. The cause of ctx's end, if it ended, decides whose fault it was.
func OfError(ctx context.Context, err error) Outcome {
	var exchange *wire.Error
	var network net.Error
	switch {
	case errors.Is(context.Cause(ctx), ErrOutrun):
		return Outrun
	case errors.Is(ctx.Err(), context.Canceled):
		return Cancelled
	case errors.Is(err, wire.ErrHeadTooLarge):
		return ClientError
	case errors.As(err, &exchange) && exchange.Stage == wire.StageConnect:
		return Unconnected
	case errors.Is(err, wire.ErrMalformed):
		return Malformed
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return Timeout
	}
	return Broken
}
