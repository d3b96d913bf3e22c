package wire

import (
	"errors"
	"fmt"
)

// Stage is how far an exchange got when it failed.
type Stage int

// Stages of an exchange.
const (
	// StageConnect: the node has not seen a byte of the request.
	StageConnect Stage = iota
	// StageSend: it may have seen some of it, or all.
	StageSend
	// StageHead: it has the request; the answer did not begin, or its head is wrong.
	StageHead
	// StageBody: the answer began and did not end.
	StageBody
)

func (s Stage) String() string {
	switch s {
	case StageConnect:
		return "connecting to"
	case StageSend:
		return "sending a request to"
	case StageHead:
		return "waiting for the answer of"
	default:
		return "reading the answer of"
	}
}

// Error is why an exchange with a node failed.
type Error struct {
	Stage Stage
	Node  string // host and port
	Err   error
}

func (e *Error) Error() string { return fmt.Sprintf("%s %s: %v", e.Stage, e.Node, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// ErrMalformed is wrapped by errors about answers that are not HTTP/1.1, or whose end is not certain.
var ErrMalformed = errors.New("malformed answer")

// ErrHeadTooLarge is returned for a request whose head is longer than HeadMax. Nothing was sent.
var ErrHeadTooLarge = errors.New("request line and header are longer than a node reads")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}
