package block

import (
	"errors"
	"fmt"
)

// Reasons inside a DecodeError, besides those of package transaction.
var (
	// ErrTruncated says that the input ends inside the part.
	ErrTruncated = errors.New("input ends too early")
	// ErrMalformed says that the part holds a value that its layout does not allow.
	ErrMalformed = errors.New("malformed")
	// ErrTrailing says that bytes follow the end.
	ErrTrailing = errors.New("bytes behind the end")
)

// DecodeError tells which part of a block could not be read, and where it begins.
type DecodeError struct {
	Part   string
	Offset int // in bytes from the start of the input
	Err    error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("block: read %s at byte %d: %v", e.Part, e.Offset, e.Err)
}

// Unwrap gives the reason.
func (e *DecodeError) Unwrap() error { return e.Err }

func truncated(part string, offset, need, have int) error {
	return &DecodeError{Part: part, Offset: offset, Err: fmt.Errorf("%w: need %d bytes, have %d", ErrTruncated, need, have)}
}

func trailing(offset, n int) error {
	return &DecodeError{Part: "end", Offset: offset, Err: fmt.Errorf("%w: %d", ErrTrailing, n)}
}
