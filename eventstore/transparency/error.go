package transparency

import (
	"errors"
	"fmt"
)

// Reasons for not signing. Each is for an operator to look into; signing goes on by itself when the reason is gone.
var (
	// ErrRollback says that the log is shorter than a checkpoint that was signed, or has other events than it.
	ErrRollback = errors.New("the log does not extend a checkpoint that was signed")
	// ErrMismatch says that the rows of the log, or the stored subtrees, are not those that were appended.
	ErrMismatch = errors.New("the events do not have the hash that the log's head had from them when they were appended")
	// ErrOtherKey says that the newest checkpoint is signed with another key than this process's, which was made by
	// itself.
	ErrOtherKey = errors.New("the log's checkpoints are signed with another key")
)

// RefusalError is an answer to a client: what it asked for does not exist, or makes no sense. Message is for the client.
type RefusalError struct {
	// NotThere says that it may exist later, or under another name.
	NotThere bool
	Message  string
}

func (r *RefusalError) Error() string { return r.Message }

// Missing says that what was asked for does not exist, rather than that the request makes no sense.
func (r *RefusalError) Missing() bool { return r.NotThere }

func missing(format string, args ...any) error {
	return &RefusalError{NotThere: true, Message: fmt.Sprintf(format, args...)}
}

func refused(format string, args ...any) error {
	return &RefusalError{Message: fmt.Sprintf(format, args...)}
}
