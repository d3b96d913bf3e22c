package transparency

import (
	"errors"
	"fmt"
)

// Reasons not to sign. An operator has to look into each of them. Signing resumes by itself once the reason is gone.
var (
	// ErrRollback means that the log is shorter than a signed checkpoint, or has other events.
	ErrRollback = errors.New("the log does not extend a checkpoint that was signed")
	// ErrMismatch means that the rows of the log, or the stored subtrees, differ from what was appended.
	ErrMismatch = errors.New("the events do not have the hash that the log's head had from them when they were appended")
	// ErrOtherKey means that another key signed the newest checkpoint, and that the operator did not choose this
	// process's key to take over.
	ErrOtherKey = errors.New("the log's checkpoints are signed with another key")
)

// RefusalError answers a client whose request makes no sense, or asks for something that does not exist. Message is for
// the client.
type RefusalError struct {
	// NotThere is true if the thing does not exist; it may exist later, or under another name.
	NotThere bool
	Message  string
}

func (r *RefusalError) Error() string { return r.Message }

// Missing reports whether the thing does not exist, rather than that the request makes no sense.
func (r *RefusalError) Missing() bool { return r.NotThere }

func missing(format string, args ...any) error {
	return &RefusalError{NotThere: true, Message: fmt.Sprintf(format, args...)}
}

func refused(format string, args ...any) error {
	return &RefusalError{Message: fmt.Sprintf(format, args...)}
}
