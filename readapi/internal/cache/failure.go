package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// errUnavailable is the error in place of a call while a breaker isn't closed.
var errUnavailable = errors.New("redis isn't used at the moment")

// slowError is the outcome of a call that succeeded too late.
type slowError struct{ took, limit time.Duration }

func (e *slowError) Error() string {
	return fmt.Sprintf("the call took %s, more than %s", e.took.Round(time.Millisecond), e.limit)
}

// Kinds of failures that are treated specially.
const (
	kindCanceled = "canceled"
	kindTimeout  = "timeout"
)

// kindOf returns the kind of a failure for the metrics: one of few, whatever Redis says; empty for a nil error.
func kindOf(err error) string {
	var slow *slowError
	var network net.Error
	var reply redis.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &slow):
		return "slow"
	case errors.Is(err, context.Canceled):
		return kindCanceled
	case errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted):
		return "no connection free"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return kindTimeout
	case redis.IsOOMError(err):
		return "out of memory"
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, redis.ErrClosed):
		return "connection"
	case errors.As(err, &reply):
		return "refused"
	default:
		return "other"
	}
}
