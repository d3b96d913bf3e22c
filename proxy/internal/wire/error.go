package wire

import (
	"errors"
	"fmt"
)

// Stage says how far an exchange got before it failed.
type Stage int

// Stages of an exchange.
const (
	// StageConnect means that the node has not seen a byte of the request.
	StageConnect Stage = iota
	// StageSend means that the node may have seen a part of the request, or all of it.
	StageSend
	// StageHead means that the node has the whole request, but the answer did not begin or its head is malformed.
	StageHead
	// StageBody means that the answer began but did not end.
	StageBody
)

func (s Stage) String() string {
	switch s {
	case StageConnect:
		return "connect to"
	case StageSend:
		return "send a request to"
	case StageHead:
		return "wait for the answer of"
	default:
		return "read the answer of"
	}
}

// Error tells why an exchange with a node failed.
type Error struct {
	Stage Stage
	Node  string // host and port
	Err   error
}

func (e *Error) Error() string { return fmt.Sprintf("%s %s: %v", e.Stage, e.Node, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// ErrMalformed is wrapped by errors about answers that are not HTTP/1.1, or whose end is uncertain.
var ErrMalformed = errors.New("malformed answer")

// ErrHeadTooLarge is returned for a request whose head is longer than HeadMax. Nothing was sent.
var ErrHeadTooLarge = errors.New("request line and header are longer than a node reads")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}
